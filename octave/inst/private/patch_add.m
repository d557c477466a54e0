% total = patch_add (total, P, side, tops, lefts): adds patches where patch_columns took them.
function total = patch_add (total, P, side, tops, lefts)
  for x = 1:side
    for y = 1:side
      pixels = reshape (P((x - 1) * side + y, :), numel (tops), numel (lefts));
      total(tops + y - 1, lefts + x - 1) = total(tops + y - 1, lefts + x - 1) + pixels;
    end
  end
end
