% -*- texinfo -*-
% @deftypefn  {} {@var{model} =} dltf_train (@var{X})
% @deftypefnx {} {@var{model} =} dltf_train (@var{X}, @var{name}, @var{value}, @dots{})
% @deftypefnx {} {@var{model} =} dltf_train (@var{X}, @var{options})
% @deftypefnx {} {[@var{model}, @var{info}] =} dltf_train (@dots{})
% Learn a dictionary from the columns of @var{X}.
%
% Options are those of @code{dltf train}, with @code{_} for @code{-}: @code{m} (atoms), @code{k} (entries of a code),
% @code{encoder}, @code{method}, @code{seed} and more; @code{dltf_options ("train")} describes all of them. Two are of this
% function: @code{start}, a model to start from, and @code{progress}, whether to show progress (default: in a terminal).
%
% @var{model} is a struct that can be saved and loaded: @code{dictionary} (n x m, unit-norm columns), @code{encoder} and
% @code{bias} if scores have their own, @code{k}, @code{select}, the preprocessing, and @code{notes} about the training.
% @var{info} has the fields @code{outcome}, @code{history} and @code{quality}.
%
% Single, double, uint8 and sparse samples are read in place; other types are first converted to single.
% @seealso{dltf_encode, dltf_decode, dltf_options, ksvd}
% @end deftypefn

function [model, info] = dltf_train (X, varargin)
  narginchk (1, Inf);
  [start, options] = dltf_take (dltf_options_struct (varargin), 'start', []);
  if (nargout > 1)
    [model, info] = dltf_mex ('train', X, start, options);
  else
    model = dltf_mex ('train', X, start, options);
  end
end

%!shared X
%! problem = dltf_synthetic ("n", 16, "m", 24, "k", 2, "samples", 600, "seed", 1);
%! X = problem.samples;
%!test
%! [model, info] = dltf_train (X, "m", 24, "k", 2, "encoder", "tied", "steps", 20, "iterations", 3);
%! assert (size (model.dictionary), [16 24]);
%! assert (class (model.dictionary), "single");
%! assert (sum (model.dictionary .^ 2), ones (1, 24, "single"), 1e-5);
%! assert (model.k, 2);
%! assert (info.history.records, numel (info.history.relative_error));
%! assert (info.outcome, "iteration-limit");
%!test # a struct of options, double and sparse input, and a saved struct give the same
%! options = struct ("m", 24, "k", 2, "method", "ksvd", "iterations", 2);
%! model = dltf_train (X, options);
%! assert (dltf_train (double (X), options).dictionary, model.dictionary);
%! assert (dltf_train (sparse (double (X)), options).dictionary, model.dictionary);
%! file = tempname ();
%! unwind_protect
%!   save ("-binary", file, "model");
%!   loaded = load (file).model;
%! unwind_protect_cleanup
%!   unlink (file);
%! end_unwind_protect
%! assert (dltf_encode (loaded, X), dltf_encode (model, X));
%!test # a start, and whole numbers
%! first = dltf_train (X, "m", 24, "k", 2, "method", "ksvd", "iterations", 1);
%! next = dltf_train (X, "k", 2, "method", "ksvd", "iterations", 1, "start", first);
%! assert (columns (next.dictionary), 24);
%! whole = dltf_train (int16 (100 * X), "m", 24, "k", 2, "method", "ksvd", "iterations", 1);
%! assert (whole.n, 16);
%!error <m: > dltf_train (X, "m", -1)
%!error <no-such> dltf_train (X, "no_such", 1)
%!error <number> dltf_train (X, "m", [1 2])
%!error <empty> dltf_train (zeros (16, 0), "m", 24)
%!error <NaN> dltf_train ([X, NaN(16, 1)], "m", 24, "k", 2)
%!error <cell> dltf_train ({1}, "m", 24)
%!error <complex> dltf_train (complex (X, X), "m", 24)
%!error <dimensions> dltf_train (zeros (2, 2, 2), "m", 2)
%!error <pairs> dltf_train (X, "m")
%!error <struct> dltf_train (X, "m", 24, "start", 3)
%!test # identifiers
%! try
%!   dltf_train (X, "m", -1);
%! catch problem
%!   assert (problem.identifier, "dltf:argument");
%! end_try_catch
%!demo
%! problem = dltf_synthetic ("n", 64, "m", 128, "k", 4, "samples", 5000, "noise", 0.1);
%! model = dltf_train (problem.samples, "m", 128, "k", 4, "encoder", "tied");
%! score = dltf_match (model, problem.dictionary, dltf_encode (model, problem.test_samples), problem.test_codes)
