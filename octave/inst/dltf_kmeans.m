% -*- texinfo -*-
% @deftypefn  {} {[@var{labels}, @var{centers}, @var{info}] =} dltf_kmeans (@var{X}, @var{count}, @var{name}, @var{value}, @dots{})
% k-means clusters of the columns of @var{X}: a row of numbers from 1 to @var{count}, and a center in each column of @var{centers}.
%
% Options are those of @code{dltf cluster} (@code{dltf_options ("cluster")}), and @code{start}, initial centers.
% @end deftypefn

function [labels, centers, info] = dltf_kmeans (X, count, varargin)
  narginchk (2, Inf);
  [start, options] = dltf_take (dltf_options_struct (varargin), 'start', []);
  options.clusters = count;
  info = dltf_mex ('kmeans', X, start, options);
  labels = info.assignment' + 1;
  centers = info.centers;
  info = rmfield (info, {'assignment', 'centers'});
end

%!test
%! X = [0 1 0 1 10 11 10 11; 0 0 1 1 10 10 11 11];
%! [labels, centers, info] = dltf_kmeans (X, 2);
%! assert (labels, labels([1 1 1 1 5 5 5 5]));
%! assert (sort (centers(1, :)), single ([0.5 10.5]), 1e-5);
%! assert (info.inertia, 4, 1e-5);
%! assert (dltf_kmeans (X, 2, "start", X(:, [8 1])), [2 2 2 2 1 1 1 1]);
%!error <clusters> dltf_kmeans (eye (3), 5)
%!error <NaN> dltf_kmeans (NaN (3), 2)
%!error <empty> dltf_kmeans ([], 2)
