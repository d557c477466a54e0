% -*- texinfo -*-
% @deftypefn  {} {@var{found} =} dltf_evaluate (@var{model}, @var{X})
% @deftypefnx {} {@var{found} =} dltf_evaluate (@var{model}, @var{X}, @var{Z})
% How well codes reconstruct samples, and how coherent the atoms are.
%
% Without @var{Z}, the codes are those of @code{dltf_encode (model, X)}. The result has the fields @code{relative_error}
% (@code{norm (X - D*Z, "fro")^2 / norm (X, "fro")^2}, X as preprocessed by the model), @code{explained_variance}, @code{entries} (of a
% code, on average), @code{coherence} and @code{frame_potential} of the dictionary.
% @seealso{dltf_encode, dltf_certify}
% @end deftypefn

function found = dltf_evaluate (model, X, Z)
  narginchk (2, 3);
  if (nargin < 3)
    Z = dltf_encode (model, X);
  end
  found = dltf_mex ('measure', model, X, Z);
  [found.coherence, found.frame_potential] = dltf_mex ('dictionary', model.dictionary);
end

%!test
%! randn ("seed", 2);
%! D = randn (8, 12);
%! D = D ./ sqrt (sum (D .^ 2));
%! X = randn (8, 30);
%! model = struct ("dictionary", D, "k", 2);
%! Z = dltf_encode (model, X, "coder", "omp");
%! found = dltf_evaluate (model, X, Z);
%! assert (found.relative_error, norm (X - D * Z, "fro") ^ 2 / norm (X, "fro") ^ 2, 1e-5);
%! assert (found.entries, 2);
%! G = abs (D' * D) - eye (12);
%! assert (found.coherence, max (G(:)), 1e-5);
%! assert (dltf_evaluate (model, X).relative_error > found.relative_error);
%!error <30> dltf_evaluate (struct ("dictionary", eye (8), "k", 1), ones (8, 30), sparse (ones (8, 29)))
