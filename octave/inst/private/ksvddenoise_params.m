% p = ksvddenoise_params (params): the parameters of ksvddenoise, checked, with defaults filled in.
function p = ksvddenoise_params (params)
  if (~isstruct (params) || numel (params) ~= 1 || ~all (isfield (params, {'x', 'blocksize', 'dictsize'})))
    error ('dltf:argument', 'params: expected a struct with the fields x, blocksize and dictsize');
  end
  p = struct ('maxval', 255, 'gain', 1.15, 'stepsize', 1, 'initdict', 'odct', 'iternum', 10, 'trainnum', 40000, ...
              'maxatoms', [], 'exact', 0, 'muthresh', 0.99, 'lambda', [], 'noisemode', 'sigma', 'memusage', 'normal');
  names = fieldnames (params);
  known = [fieldnames(p); {'x'; 'blocksize'; 'dictsize'; 'sigma'; 'psnr'}];
  for i = 1:numel (names)
    if (~ismember (names{i}, known))
      error ('dltf:argument', 'params: unknown field %s', names{i});
    end
    p.(names{i}) = params.(names{i});
  end
  p.x = dltf_real (p.x, 'x');
  p.side = dltf_count (p.blocksize(1), 'blocksize');
  if (any (p.blocksize ~= p.side) || any (size (p.x) < p.side))
    error ('dltf:argument', 'blocksize: expected square patches that fit into the image');
  end
  p.dictsize = dltf_count (p.dictsize, 'dictsize');
  p.trainnum = dltf_count (p.trainnum, 'trainnum');
  p.step = min (dltf_count (p.stepsize(1), 'stepsize'), p.side);
  p = noise_level (p);
end

function p = noise_level (p)
  if (strcmp (p.noisemode, 'psnr') || ~isfield (p, 'sigma'))
    if (~isfield (p, 'psnr'))
      error ('dltf:argument', 'params: sigma or psnr is missing');
    end
    p.sigma = p.maxval / 10 ^ (p.psnr / 20);
  end
  if (~isscalar (p.sigma) || ~(p.sigma > 0) || isinf (p.sigma))
    error ('dltf:argument', 'sigma: expected a positive number');
  end
  if (isempty (p.lambda))
    p.lambda = p.maxval / (10 * p.sigma);
  end
  if (isempty (p.maxatoms))
    p.maxatoms = floor (p.side ^ 2 / 2);
  end
  p.maxatoms = max (p.maxatoms, 1);
  p.target = p.side * double (p.sigma) * p.gain;
end
