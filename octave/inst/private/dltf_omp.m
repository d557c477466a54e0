% Z = dltf_omp (D, X, most, target): OMP by the library, to `most` entries or to ||x - Dz||^2 <= target (0: none). Columns of D
% that do not have norm 1 are scaled, and the coefficients with them. A column of zeros is rejected by the library.
function Z = dltf_omp (D, X, most, target)
  norms = sqrt (sum (double (D) .^ 2, 1));
  options = struct ('coder', 'omp', 'k', most, 'select', 'abs');
  if (target > 0)
    options.error = target;
  end
  Z = dltf_mex ('encode', struct ('dictionary', D, 'k', most), X, options);
  if (any (abs (norms - 1) > 1e-6))
    m = numel (norms);
    Z = sparse (1:m, 1:m, 1 ./ norms, m, m) * Z;
  end
end
