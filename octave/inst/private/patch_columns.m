% P = patch_columns (image, side, tops, lefts): the side x side patches with these corners, one per column; all pairs, tops first.
function P = patch_columns (image, side, tops, lefts)
  P = zeros (side * side, numel (tops) * numel (lefts));
  for x = 1:side
    for y = 1:side
      pixels = image(tops + y - 1, lefts + x - 1);
      P((x - 1) * side + y, :) = pixels(:)';
    end
  end
end
