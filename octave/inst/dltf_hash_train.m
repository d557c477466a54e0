% -*- texinfo -*-
% @deftypefn {} {@var{hasher} =} dltf_hash_train (@var{X}, "bits", @var{bits}, @var{name}, @var{value}, @dots{})
% Learn binary codes for the columns of @var{X}.
%
% Options are those of @code{dltf hash train}: @code{bits} (a multiple of 8), @code{method} ("lsh", "sh", "sph", "sparseh", "itq",
% "dltf", "neighbour") and more; @code{dltf_options ("hash")} describes all of them. @var{hasher} is a struct that can be saved and
% loaded.
% @seealso{dltf_hash_encode, dltf_hash_search}
% @end deftypefn

function hasher = dltf_hash_train (X, varargin)
  narginchk (1, Inf);
  hasher = dltf_mex ('hash_train', X, dltf_options_struct (varargin));
end

%!test
%! randn ("seed", 4);
%! X = randn (12, 100);
%! hasher = dltf_hash_train (X, "bits", 16, "method", "lsh");
%! assert (hasher.method, "lsh");
%! H = dltf_hash_encode (hasher, X);
%! assert (class (H), "uint8");
%! assert (size (H), [2 100]);
%! [found, distance] = dltf_hash_search (H, H(:, 1:5), "k", 3);
%! assert (size (found), [3 5]);
%! assert (distance(1, :), zeros (1, 5));
%! bits = sum (dec2bin (bitxor (H(:, 1), H(:, found(3, 1))), 8)(:) == "1");
%! assert (distance(3, 1), bits);
%! [found, distance] = dltf_hash_search (H, H(:, 1:5), "radius", 2);
%! assert (any (found{2} == 2));
%! assert (all (distance{2} <= 2));
%!error <bits> dltf_hash_train (eye (8), "bits", 7)
%!error <empty> dltf_hash_train ([], "bits", 8)
%!error <hasher> dltf_hash_encode (struct (), eye (8))
%!error dltf_hash_encode (struct ("bytes", uint8 (1:10)), eye (8))
%!error <uint8> dltf_hash_search (eye (8), eye (8), "k", 1)
%!error dltf_hash_search (uint8 (eye (8)), uint8 (eye (7)), "k", 1)
