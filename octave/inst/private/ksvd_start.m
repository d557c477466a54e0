% D = ksvd_start (p): the initial dictionary, with unit-norm columns: initdict, or the samples with the numbers in initdict, or
% dictsize random samples.
function D = ksvd_start (p)
  if (isfield (p, 'initdict') && ~isempty (p.initdict))
    D = p.initdict;
    if (any (size (D) == 1) && size (p.data, 1) ~= 1)
      D = sample_columns (p.data, D);
    end
    if (isfield (p, 'dictsize') && size (D, 2) > p.dictsize)
      D = D(:, 1:dltf_count (p.dictsize, 'dictsize'));
    end
  elseif (isfield (p, 'dictsize'))
    usable = find (any (p.data, 1));
    count = dltf_count (p.dictsize, 'dictsize');
    if (numel (usable) < count)
      error ('dltf:data', 'dictsize: %d atoms from %d samples that are not zero', count, numel (usable));
    end
    D = sample_columns (p.data, usable(randperm (numel (usable), count)));
  else
    error ('dltf:argument', 'params: initdict or dictsize is missing');
  end
  D = dltf_real (D, 'initdict');
  if (size (D, 1) ~= size (p.data, 1))
    error ('dltf:data', 'initdict: %d rows, but the data have %d', size (D, 1), size (p.data, 1));
  end
  norms = sqrt (sum (D .^ 2, 1));
  if (isempty (D) || any (norms == 0))
    error ('dltf:data', 'initdict: empty, or has an atom of zeros');
  end
  D = D ./ repmat (norms, size (D, 1), 1);
end

function D = sample_columns (data, numbers)
  if (any (numbers(:) < 1 | numbers(:) > size (data, 2) | numbers(:) ~= fix (numbers(:))))
    error ('dltf:argument', 'initdict: not the numbers of samples, 1 to %d', size (data, 2));
  end
  D = full (double (data(:, numbers(:))));
end
