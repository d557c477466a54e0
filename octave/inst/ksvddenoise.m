% -*- texinfo -*-
% @deftypefn {} {[@var{y}, @var{D}] =} ksvddenoise (@var{params}, @var{msgdelta})
% Denoise a gray image with a dictionary that K-SVD learns from its patches, with the parameters of KSVD-Box.
%
% Fields of @var{params}: @code{x} (the image), @code{sigma} or @code{psnr} with @code{noisemode}, @code{blocksize}, @code{dictsize};
% optional: @code{maxval} (255), @code{trainnum} (40000 patches), @code{stepsize} (1), @code{iternum} (10), @code{initdict} ("odct",
% "data" or a matrix), @code{gain} (1.15), @code{lambda} (@code{maxval / (10*sigma)}), @code{maxatoms} (half of a patch), @code{exact},
% @code{muthresh}, @code{memusage}. Patches are coded without their mean to the error @code{blocksize * sigma * gain}, and the
% estimates of a pixel are averaged together with @code{lambda} times the pixel itself. Only images with two dimensions; patches are
% square. @var{msgdelta} has no effect.
%
% @code{dltf_denoise (x, "sigma", sigma)} gives better images and also takes colours.
% @seealso{ksvd, dltf_denoise}
% @end deftypefn

function [y, D] = ksvddenoise (params, msgdelta)
  narginchk (1, 2);
  p = ksvddenoise_params (params);
  D = learn (p);
  tops = places (size (p.x, 1), p);
  lefts = places (size (p.x, 2), p);
  total = p.lambda * p.x;
  weight = repmat (p.lambda, size (p.x));
  for first = 1:32:numel (lefts) % some columns of patches at a time, to save memory
    slab = lefts(first:min (first + 31, numel (lefts)));
    P = patch_columns (p.x, p.side, tops, slab);
    center = repmat (mean (P, 1), p.side ^ 2, 1);
    P = D * dltf_omp (D, P - center, min (p.maxatoms, size (D, 2)), p.target ^ 2) + center;
    total = patch_add (total, P, p.side, tops, slab);
    weight = patch_add (weight, ones (size (P)), p.side, tops, slab);
  end
  y = total ./ weight;
end

% Corners of patches along one axis; the last patch ends at the border.
function corners = places (length, p)
  corners = unique ([1:p.step:length - p.side + 1, length - p.side + 1]);
end

function D = learn (p)
  corners = size (p.x) - p.side + 1;
  chosen = randperm (prod (corners), min (p.trainnum, prod (corners)));
  offsets = reshape ((0:p.side - 1)' + (0:p.side - 1) * size (p.x, 1), [], 1);
  [top, left] = ind2sub (corners, chosen);
  P = p.x(offsets + ((left - 1) * size (p.x, 1) + top));
  P = P - repmat (mean (P, 1), p.side ^ 2, 1);
  start = p.initdict;
  if (strcmp (start, 'odct'))
    start = cosine_dictionary (p.side, p.dictsize);
  end
  options = struct ('data', P, 'Edata', p.target, 'codemode', 'error', 'dictsize', p.dictsize, 'iternum', p.iternum, ...
                    'maxatoms', p.maxatoms, 'exact', p.exact, 'muthresh', p.muthresh);
  if (~strcmp (start, 'data'))
    options.initdict = start;
  end
  D = ksvd (options);
end

%!shared truth, params
%! randn ("seed", 5);
%! truth = 60 + 120 * ((1:40)' > (1:48) * 0.8);
%! params = struct ("x", truth + 20 * randn (40, 48), "sigma", 20, "blocksize", 8, "dictsize", 100, "iternum", 3);
%!test
%! [y, D] = ksvddenoise (params, 0);
%! assert (size (y), [40 48]);
%! assert (size (D), [64 100]);
%! assert (norm (y - truth, "fro") < 0.5 * norm (params.x - truth, "fro"));
%!test # options
%! changed = setfield (setfield (setfield (params, "stepsize", 3), "initdict", "data"), "lambda", 0);
%! changed = rmfield (setfield (setfield (changed, "psnr", 22.11), "noisemode", "psnr"), "sigma");
%! y = ksvddenoise (changed);
%! assert (norm (y - truth, "fro") < 0.7 * norm (params.x - truth, "fro"));
%!error <sigma> ksvddenoise (rmfield (params, "sigma"))
%!error <blocksize> ksvddenoise (setfield (params, "blocksize", 80))
%!error <no_such> ksvddenoise (setfield (params, "no_such", 80))
%!error <NaN> ksvddenoise (setfield (params, "x", NaN (20)))
%!error <real> ksvddenoise (setfield (params, "x", ones (20, 20, 3)))
