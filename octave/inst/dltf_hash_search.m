% -*- texinfo -*-
% @deftypefn  {} {[@var{found}, @var{distance}] =} dltf_hash_search (@var{database}, @var{queries}, "k", @var{k})
% @deftypefnx {} {[@var{found}, @var{distance}] =} dltf_hash_search (@var{database}, @var{queries}, "radius", @var{r})
% The nearest hashes by the number of bits that differ: columns of @var{database} and distances, k x queries; with a radius, a cell
% with a column for each query.
% @seealso{dltf_hash_train, dltf_hash_encode}
% @end deftypefn

function [found, distance] = dltf_hash_search (database, queries, varargin)
  narginchk (2, Inf);
  [found, distance] = dltf_mex ('hash_search', database, queries, dltf_options_struct (varargin));
end
