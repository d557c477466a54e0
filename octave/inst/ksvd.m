% -*- texinfo -*-
% @deftypefn  {} {[@var{D}, @var{Gamma}, @var{err}, @var{gerr}] =} ksvd (@var{params})
% @deftypefnx {} {[@dots{}] =} ksvd (@var{params}, @var{verbose}, @var{msgdelta})
% Learn a dictionary by K-SVD, with the parameters of KSVD-Box.
%
% Fields of @var{params}:
% @table @code
% @item data
% the samples, one per column
% @item Tdata
% entries of a code; or
% @item Edata
% the error of a code, @code{norm (x - D*gamma)}; @code{maxatoms} limits its entries
% @item codemode
% "sparsity" or "error", if both are given
% @item dictsize
% the number of atoms, taken from the samples at random; or
% @item initdict
% the initial dictionary, or the numbers of samples to start from
% @item iternum
% iterations (default: 10)
% @item exact
% 1: update an atom by a full singular value decomposition (default: 0)
% @item muthresh
% replace atoms with a larger inner product than this (default: 0.99)
% @item testdata
% samples for @var{gerr}
% @item memusage
% has no effect
% @end table
%
% @var{err} has a value for each iteration: the root mean square error of all entries of the data, or with "error" the mean number of
% entries of a code; @var{gerr} is the same for @code{testdata}. @var{Gamma} has the codes of the data with the last
% @var{D}. @var{verbose} is text with the letters @code{i} (number of the iteration) and @code{t} (error); "" prints nothing. The letter
% @code{r} and @var{msgdelta} are accepted and have no effect.
% @seealso{omp, omp2, ksvddenoise, dltf_train}
% @end deftypefn

function [D, Gamma, err, gerr] = ksvd (params, varargin)
  narginchk (1, 3);
  p = ksvd_params (params);
  words = varargin(cellfun (@ischar, varargin));
  verbose = [words{:}];
  D = ksvd_start (p);
  p.most = min (p.most, size (D, 2));
  err = zeros (1, p.iternum);
  gerr = zeros (1, p.iternum * ~isempty (p.testdata));
  for i = 1:p.iternum
    [D, err(i)] = iterate (p, D);
    Gamma = dltf_omp (D, p.data, p.most, p.target);
    if (p.target > 0)
      err(i) = nnz (Gamma) / size (Gamma, 2);
    end
    if (~isempty (p.testdata))
      gerr(i) = test_error (p, D);
    end
    show (verbose, i, p.iternum, err(i));
    if (i < p.iternum) % later there is no iteration to fit new atoms
      D = ksvd_replace (D, p.data, Gamma, p.muthresh);
    end
  end
end

% One iteration of the library: OMP, then the atoms in order. The error is that of the updated coefficients.
function [D, err] = iterate (p, D)
  update = {'approximate', 'exact'};
  options = struct ('method', 'ksvd', 'iterations', 1, 'k', p.most, 'update', update{1 + logical(p.exact)}, 'center', 'no');
  if (p.target > 0)
    options.error = p.target;
  end
  [model, info] = dltf_mex ('train', p.data, struct ('dictionary', D, 'k', p.most), options);
  D = double (model.dictionary);
  D = D ./ repmat (sqrt (sum (D .^ 2, 1)), size (D, 1), 1);
  err = sqrt (info.history.relative_error(end) * energy (p.data) / numel (p.data));
end

function sum_of_squares = energy (X)
  sum_of_squares = sum (double (X(:)) .^ 2);
end

function err = test_error (p, D)
  Z = dltf_omp (D, p.testdata, p.most, p.target);
  if (p.target > 0)
    err = nnz (Z) / size (Z, 2);
  else
    err = sqrt (energy (double (p.testdata) - D * Z) / numel (p.testdata));
  end
end

function show (verbose, i, count, err)
  if (any (verbose == 'i'))
    fprintf ('Iteration %d / %d complete', i, count);
    if (any (verbose == 't'))
      fprintf (', error %.6g', err);
    end
    fprintf ('\n');
  end
end

%!function [D, err] = plain_ksvd (X, D, T, count)
%!  err = zeros (1, count);
%!  for iteration = 1:count
%!    Z = zeros (columns (D), columns (X));
%!    for i = 1:columns (X)
%!      support = [];
%!      r = X(:, i);
%!      for t = 1:T
%!        [~, support(end + 1)] = max (abs (D' * r));
%!        z = D(:, support) \ X(:, i);
%!        r = X(:, i) - D(:, support) * z;
%!      end
%!      Z(support, i) = z;
%!    end
%!    for j = 1:columns (D)
%!      users = find (Z(j, :));
%!      E = X(:, users) - D * Z(:, users) + D(:, j) * Z(j, users);
%!      [U, S, V] = svd (E, "econ");
%!      D(:, j) = U(:, 1);
%!      Z(j, users) = S(1, 1) * V(:, 1)';
%!    end
%!    err(iteration) = norm (X - D * Z, "fro") / sqrt (numel (X));
%!  end
%!endfunction
%!shared X, start
%! p = dltf_synthetic ("n", 16, "m", 24, "k", 3, "samples", 500, "noise", 0.05, "seed", 2);
%! X = double (p.samples);
%! start = X(:, 1:24) ./ sqrt (sum (X(:, 1:24) .^ 2));
%!test # errors within 1% of a plain reference
%! [D, err] = plain_ksvd (X, start, 3, 8);
%! params = struct ("data", X, "Tdata", 3, "initdict", start, "iternum", 8, "exact", 1, "memusage", "high");
%! [D2, Gamma, err2] = ksvd (params, "");
%! assert (err2, err, 0.01 * err);
%! assert (size (Gamma), [24 500]);
%! assert (full (max (sum (Gamma != 0))) <= 3);
%! assert (norm (X - D2 * Gamma, "fro") / sqrt (numel (X)), err2(end), 0.05 * err2(end));
%!test # the same from the numbers of samples, and with a test set
%! params = struct ("data", X(:, 1:400), "Tdata", 3, "initdict", 1:24, "iternum", 3, "testdata", X(:, 401:end));
%! [D, Gamma, err, gerr] = ksvd (params, "", 5);
%! [E, ~, err2] = ksvd (setfield (params, "initdict", start));
%! assert (err2, err, 1e-5);
%! assert (size (gerr), [1 3]);
%! assert (gerr(3) < 2 * err(3));
%!test # to an error
%! params = struct ("data", X, "Edata", 0.6, "dictsize", 24, "iternum", 3, "muthresh", 0.9);
%! [D, Gamma, err] = ksvd (params);
%! assert (all (sqrt (sum ((X - D * Gamma) .^ 2)) <= 0.6 * (1 + 1e-4)));
%! assert (err(3), nnz (Gamma) / 500, 1e-12);
%! assert (size (D), [16 24]);
%!assert (size (ksvd (struct ("data", single (X), "Tdata", 2, "dictsize", 10, "iternum", 1))), [16 10])
%!assert (size (ksvd (struct ("data", sparse (X), "Tdata", 2, "dictsize", 10, "iternum", 1))), [16 10])
%!error <data> ksvd (struct ("Tdata", 2))
%!error <Tdata> ksvd (struct ("data", X, "dictsize", 10))
%!error <dictsize> ksvd (struct ("data", X, "Tdata", 2))
%!error <no_such> ksvd (struct ("data", X, "Tdata", 2, "dictsize", 10, "no_such", 1))
%!error <rows> ksvd (struct ("data", X, "Tdata", 2, "initdict", eye (8)))
%!error <samples> ksvd (struct ("data", X, "Tdata", 2, "initdict", [1 1000]))
%!error <samples> ksvd (struct ("data", X, "Tdata", 2, "dictsize", 1000))
%!error <NaN> ksvd (struct ("data", [X NaN(16, 1)], "Tdata", 2, "initdict", eye (16)))
%!error ksvd (struct ("data", [], "Tdata", 2, "initdict", eye (16)))
%!error ksvd (struct ("data", {{1}}, "Tdata", 2, "dictsize", 1))
%!demo
%! p = dltf_synthetic ("n", 20, "m", 50, "k", 3, "samples", 1500, "noise", 0.05);
%! params = struct ("data", p.samples, "Tdata", 3, "dictsize", 50, "iternum", 30);
%! [D, Gamma, err] = ksvd (params, "it");
