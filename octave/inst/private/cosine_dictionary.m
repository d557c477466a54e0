% D = cosine_dictionary (side, count): products of sampled cosines, the overcomplete DCT, for side x side patches; at least `count`
% columns of which the first `count` are kept.
function D = cosine_dictionary (side, count)
  per_axis = ceil (sqrt (count));
  C = cos ((0:side - 1)' * (0:per_axis - 1) * pi / per_axis);
  C(:, 2:end) = C(:, 2:end) - repmat (mean (C(:, 2:end), 1), side, 1);
  C = C ./ repmat (sqrt (sum (C .^ 2, 1)), side, 1);
  D = kron (C, C);
  D = D(:, 1:count);
end
