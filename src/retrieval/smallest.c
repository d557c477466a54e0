/* Selection of the smallest values, in place. */
#include "retrieval/smallest.h"

float dl_smallest(float *values, int64_t count, int64_t rank) {
    int64_t low = 0, high = count - 1;
    while (low < high) {
        float pivot = values[low + (high - low) / 2];
        int64_t left = low, right = high;
        while (left <= right) {
            while (values[left] < pivot)
                left++;
            while (values[right] > pivot)
                right--;
            if (left > right)
                break;
            float swapped = values[left];
            values[left++] = values[right];
            values[right--] = swapped;
        }
        if (rank - 1 <= right)
            high = right;
        else if (rank - 1 >= left)
            low = left;
        else
            break;
    }
    return values[rank - 1];
}
