% -*- texinfo -*-
% @deftypefn {} {[@var{clean}, @var{info}] =} dltf_denoise (@var{noisy}, @var{name}, @var{value}, @dots{})
% Remove Gaussian noise from an image, height x width or height x width x 3, on the scale 0 to 255.
%
% Options are those of @code{dltf denoise}: @code{sigma} (default: estimated), @code{method} ("dltf", "ksvd", "paper"), @code{patch} and
% more (@code{dltf_options ("denoise")}), and @code{model}, a dictionary for patches. @var{clean} has the class of @var{noisy}.
% @seealso{ksvddenoise}
% @end deftypefn

function [clean, info] = dltf_denoise (noisy, varargin)
  narginchk (1, Inf);
  if (~isnumeric (noisy) || ~isreal (noisy))
    error ('dltf:argument', 'image: expected real numbers');
  end
  [model, options] = dltf_take (dltf_options_struct (varargin), 'model', []);
  [clean, info] = dltf_mex ('denoise', single (full (noisy)), model, options);
  clean = cast (clean, class (noisy));
end

%!shared truth, noisy
%! randn ("seed", 5);
%! truth = 60 + 120 * ((1:40)' > (1:48) * 0.8);
%! noisy = truth + 20 * randn (40, 48);
%!test
%! [clean, info] = dltf_denoise (noisy, "sigma", 20);
%! assert (size (clean), size (noisy));
%! assert (class (clean), "double");
%! assert (norm (clean - truth, "fro") < 0.7 * norm (noisy - truth, "fro"));
%! assert (info.sigma, 20);
%!test
%! clean = dltf_denoise (uint8 (cat (3, noisy, noisy, noisy)), "sigma", 20, "stages", 1);
%! assert (class (clean), "uint8");
%! assert (size (clean), [40 48 3]);
%!error <NaN|finite> dltf_denoise (NaN (40), "sigma", 20)
%!error dltf_denoise ([])
%!error dltf_denoise (ones (3))
%!error dltf_denoise (ones (40, 40, 2))
%!error <image> dltf_denoise ("text")
%!error <sigma> dltf_denoise (noisy, "sigma", "x")
