% options = dltf_options_struct (given): a struct, or names and values, as one struct.
function options = dltf_options_struct (given)
  options = struct ();
  i = 1;
  while (i <= numel (given))
    if (isstruct (given{i}) && numel (given{i}) == 1)
      names = fieldnames (given{i});
      for j = 1:numel (names)
        options.(names{j}) = given{i}.(names{j});
      end
      i = i + 1;
    elseif (ischar (given{i}) && i < numel (given))
      name = strrep (given{i}, '-', '_');
      if (isempty (regexp (name, '^[A-Za-z][A-Za-z0-9_]*$', 'once')))
        error ('dltf:argument', '%s: not the name of an option', given{i});
      end
      options.(name) = given{i + 1};
      i = i + 2;
    else
      error ('dltf:argument', 'options: expected a struct, or pairs of a name and a value');
    end
  end
end
