% -*- texinfo -*-
% @deftypefn  {} {@var{score} =} dltf_match (@var{model}, @var{truth}, @var{Z}, @var{Z0})
% @deftypefnx {} {[@var{score}, @var{match}, @var{cosine}] =} dltf_match (@dots{})
% Compare codes @var{Z} over the atoms of @var{model} with the true codes @var{Z0} over the dictionary @var{truth}.
%
% Atoms are assigned one to one: atom j to column @var{match}(j) of @var{truth}, 0 if there is none. @code{score.ave_dif} is the
% paper's measure, the mean number of wrong atoms in a code; @code{score.exact} the share of supports without a mistake.
% @seealso{dltf_synthetic}
% @end deftypefn

function [score, match, cosine] = dltf_match (model, truth, Z, Z0)
  narginchk (4, 4);
  if (isstruct (model) && isfield (model, 'dictionary'))
    model = model.dictionary;
  end
  [score, match, cosine] = dltf_mex ('match', model, truth, Z, Z0);
end

%!test
%! p = dltf_synthetic ("n", 8, "m", 12, "k", 2, "samples", 30, "noise", 0);
%! order = [12:-1:1];
%! [score, match, cosine] = dltf_match (p.dictionary(:, order), p.dictionary, p.codes(order, :), p.codes);
%! assert (score.ave_dif, 0);
%! assert (score.exact, 1);
%! assert (match, order);
%! assert (cosine, ones (1, 12, "single"), 1e-5);
%!error dltf_match (eye (3), eye (4), sparse (3, 1), sparse (4, 1))
%!error dltf_match (eye (3), eye (3), sparse (ones (4, 1)), sparse (ones (3, 1)))
