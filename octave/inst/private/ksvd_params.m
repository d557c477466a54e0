% p = ksvd_params (params): the parameters of ksvd, checked, with defaults filled in. p.most and p.target are those of a code:
% entries, and squared error (0: none).
function p = ksvd_params (params)
  if (~isstruct (params) || numel (params) ~= 1 || ~isfield (params, 'data'))
    error ('dltf:argument', 'params: expected a struct with the field data');
  end
  known = {'data', 'Tdata', 'Edata', 'codemode', 'initdict', 'dictsize', 'iternum', 'memusage', 'maxatoms', 'exact', ...
           'muthresh', 'testdata'};
  names = fieldnames (params);
  unknown = names(~ismember (names, known));
  if (~isempty (unknown))
    error ('dltf:argument', 'params: unknown field %s', unknown{1});
  end
  p = struct ('codemode', '', 'iternum', 10, 'exact', 0, 'muthresh', 0.99, 'testdata', [], 'maxatoms', Inf);
  for i = 1:numel (names)
    p.(names{i}) = params.(names{i});
  end
  p.iternum = dltf_count (p.iternum, 'iternum');
  if (~isnumeric (p.muthresh) || ~isscalar (p.muthresh) || ~(p.muthresh > 0))
    error ('dltf:argument', 'muthresh: expected a positive number');
  end
  p = code_target (p);
end

% Without codemode, Tdata or Edata decides; with both, the sparsity.
function p = code_target (p)
  if (isempty (p.codemode))
    p.codemode = 'sparsity';
    if (~isfield (p, 'Tdata') && isfield (p, 'Edata'))
      p.codemode = 'error';
    end
  end
  n = max (size (p.data, 1), 1);
  switch (lower (p.codemode))
    case 'sparsity'
      if (~isfield (p, 'Tdata'))
        error ('dltf:argument', 'params: Tdata or Edata is missing');
      end
      p.most = dltf_count (p.Tdata, 'Tdata');
      p.target = 0;
    case 'error'
      if (~isfield (p, 'Edata') || ~isnumeric (p.Edata) || ~isscalar (p.Edata) || ~(p.Edata > 0))
        error ('dltf:argument', 'Edata: expected a positive number');
      end
      p.most = min (n, p.maxatoms);
      p.target = double (p.Edata) ^ 2;
    otherwise
      error ('dltf:argument', 'codemode: expected ''sparsity'' or ''error''');
  end
end
