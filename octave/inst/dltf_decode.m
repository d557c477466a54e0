% -*- texinfo -*-
% @deftypefn {} {@var{X} =} dltf_decode (@var{model}, @var{Z})
% The samples that codes stand for: n x N singles, dictionary * @var{Z} plus what the model subtracts from all samples.
% @seealso{dltf_encode}
% @end deftypefn

function X = dltf_decode (model, Z)
  narginchk (2, 2);
  X = dltf_mex ('decode', model, Z);
end

%!test
%! D = orth (magic (4) + eye (4));
%! model = struct ("dictionary", D, "k", 2, "mean", [1; 2; 3; 4]);
%! Z = sparse ([2 0 0; 0 -1 0; 0 0 0; 1 0 0]);
%! assert (dltf_decode (model, Z), single (full (D * Z) + [1; 2; 3; 4]), 1e-5);
%! assert (dltf_decode (model, full (Z)), dltf_decode (model, Z));
%!error <4> dltf_decode (struct ("dictionary", eye (4), "k", 2), sparse (ones (5, 1)))
%!error <empty> dltf_decode (struct ("dictionary", eye (4), "k", 2), [])
%!error dltf_decode (struct ("dictionary", eye (4), "k", 2), sparse ([NaN; 0; 0; 0]))
