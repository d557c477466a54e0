% -*- texinfo -*-
% @deftypefn {} {@var{problem} =} dltf_synthetic (@var{name}, @var{value}, @dots{})
% The paper's synthetic problem: a random dictionary, codes with k ones, and samples with noise.
%
% Options: @code{n}, @code{m}, @code{k}, @code{samples}, @code{noise}, @code{seed}, and @code{codes} (the entries of a code: "ones", "signs", "uniform", "gaussian").
% The result has the fields
% @code{dictionary}, @code{samples}, @code{codes}, @code{test_samples} and @code{test_codes}.
% @seealso{dltf_match}
% @end deftypefn

function problem = dltf_synthetic (varargin)
  problem = dltf_mex ('synthetic', dltf_options_struct (varargin));
end

%!test
%! p = dltf_synthetic ("n", 8, "m", 12, "k", 2, "samples", 30, "noise", 0);
%! assert (double (p.samples), double (p.dictionary) * p.codes, 1e-5);
%! assert (size (p.test_codes), [12 30]);
%!error dltf_synthetic ("n", 8, "m", 12, "k", 20, "samples", 30)
