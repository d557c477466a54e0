% -*- texinfo -*-
% @deftypefn {} {@var{H} =} dltf_hash_encode (@var{hasher}, @var{X})
% Hashes of the columns of @var{X}: bits/8 x N bytes. Bit j is the bit of value @code{2^mod (j, 8)} in byte @code{floor (j / 8)},
% counted from 0.
% @seealso{dltf_hash_train, dltf_hash_search}
% @end deftypefn

function H = dltf_hash_encode (hasher, X)
  narginchk (2, 2);
  H = dltf_mex ('hash_encode', hasher, X, 0);
end
