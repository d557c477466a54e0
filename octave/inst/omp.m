% -*- texinfo -*-
% @deftypefn  {} {@var{Gamma} =} omp (@var{D}, @var{X}, @var{G}, @var{T})
% @deftypefnx {} {@var{Gamma} =} omp (@var{DtX}, @var{G}, @var{T})
% @deftypefnx {} {@var{Gamma} =} omp (@dots{}, @var{name}, @var{value}, @dots{})
% Orthogonal matching pursuit with @var{T} atoms per column of @var{X}, as in OMP-Box.
%
% @var{D} has unit-norm columns; @var{G} is @code{D'*D} or [], and @var{DtX} is @code{D'*X}. The first form runs in the library, in
% single precision and on all cores; it does not need @var{G}. The second form runs on one core, in double precision. Options:
% @code{gammamode}, "sparse" (default) or "full"; @code{messages}, @code{checkdict} and @code{profile} are accepted and have no effect.
% @seealso{omp2, ksvd, dltf_encode}
% @end deftypefn

function Gamma = omp (varargin)
  narginchk (3, Inf);
  if (nargin > 3 && ~ischar (varargin{4}))
    [D, X, T] = varargin{[1, 2, 4]};
    full_codes = dltf_omp_options (varargin(5:end), 0);
    Gamma = dltf_omp (D, X, min (dltf_count (T, 'T'), max (size (D, 2), 1)), 0);
  else
    DtX = dltf_real (varargin{1}, 'D''*X');
    full_codes = dltf_omp_options (varargin(4:end), 0);
    most = min (dltf_count (varargin{3}, 'T'), max (size (DtX, 1), 1));
    Gamma = dltf_mex ('batch_omp', DtX, ones (1, size (DtX, 2)), dltf_real (varargin{2}, 'G'), most, -Inf);
  end
  if (full_codes)
    Gamma = full (Gamma);
  end
end

%!shared D, X, reference
%! randn ("seed", 3);
%! D = randn (20, 40);
%! D = D ./ sqrt (sum (D .^ 2));
%! X = randn (20, 60);
%! reference = zeros (40, 60);
%! for i = 1:60
%!   support = [];
%!   r = X(:, i);
%!   for t = 1:4
%!     [~, support(end + 1)] = max (abs (D' * r));
%!     z = D(:, support) \ X(:, i);
%!     r = X(:, i) - D(:, support) * z;
%!   end
%!   reference(support, i) = z;
%! end
%!assert (full (omp (D, X, D' * D, 4)), reference, 1e-4)
%!assert (full (omp (D, X, [], 4)), reference, 1e-4)
%!assert (full (omp (D' * X, D' * D, 4)), reference, 1e-10)
%!assert (omp (D' * X, D' * D, 4, "gammamode", "full", "messages", -1), reference, 1e-10)
%!assert (omp (D, X, [], 4, "gammamode", "full"), reference, 1e-4)
%!test # atoms of any norm
%! s = 1 + (1:40);
%! assert (full (omp (D .* s, X, [], 4)), reference ./ s', 1e-4);
%!test # more entries than dimensions, duplicate atoms, zeros
%! Z = omp (D' * X, D' * D, 40);
%! assert (norm (X - D * Z, "fro") < 1e-8 * norm (X, "fro"));
%! E = [D(:, 1:3), D(:, 1:3)];
%! assert (rows (omp (E' * X, E' * E, 6)), 6);
%! assert (rows (omp (E, X, [], 6)), 6);
%! assert (nnz (omp (zeros (40, 2), D' * D, 4)), 0);
%! assert (size (omp (zeros (40, 0), D' * D, 4)), [40 0]);
%!error <G is> omp (D' * X, eye (3), 4)
%!error <whole> omp (D, X, [], 0)
%!error <whole> omp (D, X, [], NaN)
%!error <NaN> omp (NaN (40, 1), D' * D, 4)
%!error <unknown> omp (D, X, [], 4, "no_such", 1)
%!error <real> omp ("a", D' * D, 4)
%!error omp (D, X(1:3, :), [], 4)
%!error omp (D, {}, [], 4)
%!error omp ([], [], [], 4)
%!error omp (zeros (20, 4), X, [], 2)
