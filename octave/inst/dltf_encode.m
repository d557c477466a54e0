% -*- texinfo -*-
% @deftypefn  {} {@var{Z} =} dltf_encode (@var{model}, @var{X})
% @deftypefnx {} {@var{Z} =} dltf_encode (@var{model}, @var{X}, @var{name}, @var{value}, @dots{})
% Sparse codes of the columns of @var{X}, a sparse m x N matrix.
%
% Options are those of @code{dltf encode}: @code{k}, @code{coder} ("threshold", "omp", "iht", "niht", "htp", "incoherent",
% "shortlist"), @code{refit}, @code{error} and more; @code{dltf_options ("encode")} describes all of them. A model may be made by
% hand: @code{struct ("dictionary", D, "k", 5)}.
% @seealso{dltf_train, dltf_decode, omp}
% @end deftypefn

function Z = dltf_encode (model, X, varargin)
  narginchk (2, Inf);
  Z = dltf_mex ('encode', model, X, dltf_options_struct (varargin));
end

%!shared D, X, model
%! randn ("seed", 1);
%! D = randn (16, 24);
%! D = D ./ sqrt (sum (D .^ 2));
%! X = randn (16, 50);
%! model = struct ("dictionary", D, "k", 3);
%!test # the k largest magnitudes of D'x
%! Z = dltf_encode (model, X);
%! assert (issparse (Z) && isa (Z, "double"));
%! S = D' * X;
%! [~, order] = sort (abs (S), "descend");
%! expected = zeros (24, 50);
%! for i = 1:50
%!   expected(order(1:3, i), i) = S(order(1:3, i), i);
%! end
%! assert (full (Z), expected, 1e-5);
%!test # types of samples
%! Z = dltf_encode (model, single (X), "k", 2);
%! assert (dltf_encode (model, X, "k", 2), Z, 1e-5);
%! assert (nnz (Z), 100);
%! bytes = uint8 (100 * abs (X));
%! assert (dltf_encode (model, bytes), dltf_encode (model, double (bytes)), 1e-3);
%! assert (dltf_encode (model, int32 (bytes)), dltf_encode (model, bytes));
%! assert (dltf_encode (model, sparse (X)), dltf_encode (model, X), 1e-5);
%! assert (size (dltf_encode (model, X > 0)), [24 50]);
%! assert (size (dltf_encode (model, sparse (X > 0))), [24 50]);
%! assert (size (dltf_encode (model, X(:, 1))), [24 1]);
%!test # a sample of zeros has an empty code
%! assert (nnz (dltf_encode (model, zeros (16, 2))), 0);
%!error <columns> dltf_encode (model, X(1:8, :))
%!error <empty> dltf_encode (model, [])
%!error <NaN> dltf_encode (model, NaN (16, 1))
%!error <struct> dltf_encode (1, X)
%!error <empty> dltf_encode ([], X)
%!error <no_such> dltf_encode (struct ("dictionary", D, "k", 3, "no_such", 1), X)
%!error dltf_encode (struct ("k", 3), X)
%!error dltf_encode (struct ("dictionary", "text", "k", 3), X)
%!error dltf_encode (struct ("dictionary", {{}}, "k", {1}), X)
%!error <char> dltf_encode (model, "text")
%!error dltf_encode (model)
