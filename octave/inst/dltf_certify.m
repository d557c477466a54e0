% -*- texinfo -*-
% @deftypefn  {} {@var{certificate} =} dltf_certify (@var{model})
% @deftypefnx {} {[@var{certificate}, @var{flags}] =} dltf_certify (@var{model}, @var{X}, @var{name}, @var{value}, @dots{})
% What is guaranteed about the supports of codes, for a model and for single samples.
%
% @var{flags} has a logical row for each statement, such as @code{proven}, with an element per column of @var{X}. Options are those of
% @code{dltf certify}: @code{k}, @code{noise}, @code{amplitude}, @code{signs} and more (@code{dltf_options ("certify")}), and
% @code{known}, the true codes, and @code{candidates}, codes whose supports are to be proven.
% @seealso{dltf_encode}
% @end deftypefn

function [certificate, flags] = dltf_certify (model, X, varargin)
  narginchk (1, Inf);
  if (nargin < 2)
    X = [];
  end
  [known, options] = dltf_take (dltf_options_struct (varargin), 'known', []);
  [candidates, options] = dltf_take (options, 'candidates', []);
  if (nargout > 1)
    [certificate, flags] = dltf_mex ('certify', model, X, known, candidates, options);
  else
    certificate = dltf_mex ('certify', model, X, known, candidates, options);
  end
end

%!test # orthonormal atoms: everything is certain
%! model = struct ("dictionary", eye (6), "k", 2);
%! X = zeros (6, 3);
%! X([1 2], 1) = X([3 5], 2) = X([4 6], 3) = 1;
%! [certificate, flags] = dltf_certify (model, X, "noise", 0.1, "known", sparse (X));
%! assert (certificate.mu, 0, 1e-12);
%! assert (flags.proven, true (1, 3));
%! assert (flags.feature, true (1, 3));
%! assert (flags.theorem1, true (1, 3));
%!assert (isstruct (dltf_certify (struct ("dictionary", eye (6), "k", 2))))
%!error <empty> [a, b] = dltf_certify (struct ("dictionary", eye (6), "k", 2))
%!error [a, b] = dltf_certify (struct ("dictionary", eye (6), "k", 2), eye (6), "known", sparse (ones (6, 2)))
