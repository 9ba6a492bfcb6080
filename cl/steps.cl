/* Finds out after how many steps a device gives up a loop: it writes the number that a generator reaches in n_steps
 * steps.  No compiler has a shorter way there, and the host counts the steps to any number that it finds.
 *
 * out    (1)
 * items  1
 */
__kernel void count_steps(ITEM __global uint *out, const uint n_steps)
{
	RETURN_BEHIND_ITEMS;
	uint x = 1;
	for (uint i = 0; i < n_steps; i++)
		x = x * 1664525u + 1013904223u;
	out[get_global_id(0)] = x;
}
