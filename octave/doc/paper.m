% Two results of the paper in a few lines: a row of Table 1 (k = 8), and a denoised image. About 10 s on two cores.
%   pkg load dltf; paper

% Table 1: 10,000 samples, each the sum of 8 of 128 random atoms in 64 dimensions, with noise of 0.1. ave_dif is the mean
% number of wrong atoms in a code of a test sample.
problem = dltf_synthetic ("n", 64, "m", 128, "k", 8, "samples", 10000, "noise", 0.1);
known = struct ("dictionary", problem.dictionary, "k", 8);
tied = dltf_train (problem.samples, "m", 128, "k", 8, "encoder", "tied");
best = dltf_train (problem.samples, "m", 128, "k", 8);
names = {"the true dictionary", "learned, the paper's feature", "learned, with an encoder"};
models = {known, tied, best};
for i = 1:3
  Z = dltf_encode (models{i}, problem.test_samples);
  score = dltf_match (models{i}, problem.dictionary, Z, problem.test_codes);
  printf ("%-30s ave_dif %.3f, %.1f%% of the supports exact\n", names{i}, score.ave_dif, 100 * score.exact);
end

% Denoising, sigma = 20: shapes on a ramp.
[x, y] = meshgrid (1:128, 1:128);
truth = 40 + x / 2 + 100 * (hypot (x - 45, y - 50) < 25) - 40 * (abs (x - 95) < 12 & mod (y, 16) < 8);
noisy = truth + 20 * randn (size (truth));
psnr = @(image) 10 * log10 (255 ^ 2 / mean ((image - truth)(:) .^ 2));
clean = dltf_denoise (noisy, "sigma", 20);
box = ksvddenoise (struct ("x", noisy, "sigma", 20, "blocksize", 8, "dictsize", 256, "iternum", 10));
printf ("PSNR: noisy %.2f dB, ksvddenoise %.2f dB, dltf_denoise %.2f dB\n", psnr (noisy), psnr (box), psnr (clean));
imwrite (uint8 ([truth, noisy, box, clean]), "denoised.png");
