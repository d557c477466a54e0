% D = ksvd_replace (D, X, Z, limit): atoms that fewer than 4 samples use, and those with a larger inner product than `limit` with a
% better-used atom, become the samples with the largest error, each sample once.
function D = ksvd_replace (D, X, Z, limit)
  use = full (sum (abs (Z) > 1e-7, 2))';
  G = abs (D' * D);
  G(1:size (D, 2) + 1:end) = 0;
  wrong = find (use < 4 | max (G, [], 1) > limit);
  if (isempty (wrong))
    return;
  end
  X = full (double (X));
  errors = sum ((X - D * Z) .^ 2, 1);
  [~, order] = sort (errors, 'descend');
  next = 1;
  for j = wrong
    duplicate = max (abs (D' * D(:, j)) .* ((1:size (D, 2))' ~= j)) > limit;
    if (use(j) >= 4 && ~duplicate)
      continue; % its duplicate has been replaced
    end
    if (next > numel (order) || errors(order(next)) == 0)
      return;
    end
    D(:, j) = X(:, order(next)) / norm (X(:, order(next)));
    next = next + 1;
  end
end
