% -*- texinfo -*-
% @deftypefn  {} {@var{Gamma} =} omp2 (@var{D}, @var{X}, @var{G}, @var{epsilon})
% @deftypefnx {} {@var{Gamma} =} omp2 (@var{DtX}, @var{XtX}, @var{G}, @var{epsilon})
% @deftypefnx {} {@var{Gamma} =} omp2 (@dots{}, "maxatoms", @var{most})
% Orthogonal matching pursuit until @code{norm (x - D*gamma) <= epsilon}, as in OMP-Box.
%
% @var{XtX} has the squared norms of the samples, @code{sum (X .* X)}. The first form runs in the library, in single precision and on
% all cores; for targets below about 1e-3 of the norm of a sample, codes get more entries than they
% need. The second form runs on one core, in double precision. Other options as in @code{omp}.
% @seealso{omp, ksvd}
% @end deftypefn

function Gamma = omp2 (A, B, G, epsilon, varargin)
  narginchk (4, Inf);
  if (~isnumeric (epsilon) || ~isscalar (epsilon) || ~isreal (epsilon) || ~(epsilon >= 0))
    error ('dltf:argument', 'epsilon: expected a number that is not negative');
  end
  epsilon = double (epsilon);
  if (isvector (B) && numel (B) == size (A, 2) && size (G, 1) == size (A, 1))
    DtX = dltf_real (A, 'D''*X');
    [full_codes, most] = dltf_omp_options (varargin, size (DtX, 1));
    Gamma = dltf_mex ('batch_omp', DtX, dltf_real (B, 'XtX'), dltf_real (G, 'G'), min (most, size (DtX, 1)), epsilon ^ 2);
  else
    [full_codes, most] = dltf_omp_options (varargin, Inf);
    Gamma = dltf_omp (A, B, max (min ([most, size(A)]), 1), epsilon ^ 2);
  end
  if (full_codes)
    Gamma = full (Gamma);
  end
end

%!shared D, X, count
%! randn ("seed", 3);
%! D = randn (20, 40);
%! D = D ./ sqrt (sum (D .^ 2));
%! X = randn (20, 60);
%! count = zeros (1, 60);
%! for i = 1:60
%!   support = [];
%!   r = X(:, i);
%!   while (norm (r) > 1.5)
%!     [~, support(end + 1)] = max (abs (D' * r));
%!     r = X(:, i) - D(:, support) * (D(:, support) \ X(:, i));
%!   end
%!   count(i) = numel (support);
%! end
%!test
%! Z = omp2 (D, X, D' * D, 1.5);
%! assert (full (sum (Z != 0)), count);
%! assert (all (sqrt (sum ((X - D * Z) .^ 2)) < 1.5 * (1 + 1e-4)));
%!test
%! Z = omp2 (D' * X, sum (X .* X), D' * D, 1.5);
%! assert (full (sum (Z != 0)), count);
%! assert (all (sqrt (sum ((X - D * Z) .^ 2)) <= 1.5));
%!assert (full (max (sum (omp2 (D, X, [], 0.1, "maxatoms", 3) != 0))), 3)
%!assert (full (max (sum (omp2 (D' * X, sum (X .* X), D' * D, 0.1, "maxatoms", 3) != 0))), 3)
%!assert (nnz (omp2 (D, X, [], 100)), 0)
%!test # long codes: the room for entries grows
%! Z = omp2 (D' * X, sum (X .* X), D' * D, 1e-6);
%! assert (nnz (Z) > 60 * 15);
%! assert (norm (X - D * Z, "fro") < 1e-4);
%!error <epsilon> omp2 (D, X, [], -1)
%!error <epsilon> omp2 (D, X, [], "x")
%!error <whole> omp2 (D, X, [], 1, "maxatoms", 0.5)
%!error omp2 (D, [], [], 1)
