% options = dltf_options_struct (ARGUMENTS): a struct, or names and values, as one struct.
function options = dltf_options_struct (arguments)
  options = struct ();
  i = 1;
  while (i <= numel (arguments))
    if (isstruct (arguments{i}) && numel (arguments{i}) == 1)
      names = fieldnames (arguments{i});
      for j = 1:numel (names)
        options.(names{j}) = arguments{i}.(names{j});
      end
      i = i + 1;
    elseif (ischar (arguments{i}) && i < numel (arguments))
      name = strrep (arguments{i}, '-', '_');
      if (isempty (regexp (name, '^[A-Za-z][A-Za-z0-9_]*$', 'once')))
        error ('dltf:argument', '%s: not the name of an option', arguments{i});
      end
      options.(name) = arguments{i + 1};
      i = i + 2;
    else
      error ('dltf:argument', 'options: expected a struct, or pairs of a name and a value');
    end
  end
end
