% [full_codes, most] = dltf_omp_options (given, most): the options of OMP-Box by name. Those about messages and checks have no
% effect here; unknown names are errors.
function [full_codes, most] = dltf_omp_options (given, most)
  full_codes = false;
  for i = 1:2:numel (given)
    if (~ischar (given{i}) || i == numel (given))
      error ('dltf:argument', 'options: expected pairs of a name and a value');
    end
    value = given{i + 1};
    switch (lower (given{i}))
      case 'gammamode'
        if (~any (strcmpi (value, {'sparse', 'full'})))
          error ('dltf:argument', 'gammamode: expected ''sparse'' or ''full''');
        end
        full_codes = strcmpi (value, 'full');
      case 'maxatoms'
        most = dltf_count (value, 'maxatoms');
      case {'messages', 'checkdict', 'profile'}
      otherwise
        error ('dltf:argument', '%s: unknown option', given{i});
    end
  end
end
