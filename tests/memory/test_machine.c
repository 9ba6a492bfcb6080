/* Facts of a machine, read from recorded files of other machines. */
#include "runner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/native/machine.h"

static char root[64];

static void put(const char *path, const char *text)
{
	char full[512];
	snprintf(full, sizeof full, "%s%s", root, path);
	for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		ck_assert(mkdir(full, 0700) == 0 || errno == EEXIST);
		*slash = '/';
	}
	FILE *file = fopen(full, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void make_root(void)
{
	strcpy(root, "/tmp/clpac-machine-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
}

static void remove_root(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf '%s'", root);
	ck_assert_int_eq(system(command), 0);
}

static clpac__machine look(void)
{
	clpac__machine machine;
	clpac__machine_look(root, &machine);
	ck_assert_uint_eq(machine.free_bytes, clpac__machine_free_bytes(root));
	return machine;
}

static const uint64_t MIB = 1 << 20;

static void put_memory(void)
{
	put("/proc/meminfo", "MemTotal:        8388608 kB\nMemFree:          100000 kB\nMemAvailable:    4194304 kB\n");
}

FIXTURE(make_root, remove_root);

TEST(the_processor_is_named)
{
	put("/proc/cpuinfo", "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel\t\t: 17\nmodel name\t: AMD EPYC 9354\n"
			     "cpu MHz\t\t: 2596.138\n\nprocessor\t: 1\nmodel name\t: other\n");
	put("/sys/devices/system/cpu/cpu0/cache/index0/size", "32K\n");
	put("/sys/devices/system/cpu/cpu0/cache/index2/size", "1024K\n");
	put("/sys/devices/system/cpu/cpu0/cache/index3/size", "32768K\n");
	clpac__machine machine = look();
	ck_assert_str_eq(machine.name, "AMD EPYC 9354");
	ck_assert_str_eq(machine.vendor, "AuthenticAMD");
	ck_assert_uint_eq(machine.clock_mhz, 2596);
	ck_assert_uint_eq(machine.cache_bytes, 32 * MIB);
}

TEST(an_arm_board_is_named)
{
	put("/proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 108.00\nCPU implementer\t: 0x41\n\nHardware\t: BCM2711\n"
			     "Model\t\t: Raspberry Pi 4 Model B Rev 1.4\n");
	clpac__machine machine = look();
	ck_assert_str_eq(machine.name, "Raspberry Pi 4 Model B Rev 1.4");
	ck_assert_str_eq(machine.vendor, "0x41");
}

TEST(without_control_groups_the_memory_is_the_machines)
{
	put_memory();
	clpac__machine machine = look();
	ck_assert_uint_eq(machine.memory_bytes, 8192 * MIB);
	ck_assert_uint_eq(machine.free_bytes, 4096 * MIB);
}

TEST(a_group_of_version_2_limits_the_memory)
{
	put_memory();
	put("/proc/self/cgroup", "0::/system.slice/job.service\n");
	put("/sys/fs/cgroup/system.slice/job.service/memory.max", "2147483648\n");
	put("/sys/fs/cgroup/system.slice/job.service/memory.current", "1073741824\n");
	put("/sys/fs/cgroup/system.slice/job.service/memory.stat", "anon 1\ninactive_file 268435456\n");
	clpac__machine machine = look();
	ck_assert_uint_eq(machine.memory_bytes, 2048 * MIB);
	ck_assert_uint_eq(machine.free_bytes, (2048 - 1024 + 256) * MIB);
}

TEST(the_tightest_group_above_counts)
{
	put_memory();
	put("/proc/self/cgroup", "0::/a/b\n");
	put("/sys/fs/cgroup/a/b/memory.max", "max\n");
	put("/sys/fs/cgroup/a/memory.max", "1073741824\n");
	put("/sys/fs/cgroup/a/memory.current", "2147483648\n");
	clpac__machine machine = look();
	ck_assert_uint_eq(machine.memory_bytes, 1024 * MIB);
	ck_assert_uint_eq(machine.free_bytes, 0);
}

TEST(a_group_of_version_1_limits_the_memory)
{
	put_memory();
	put("/proc/self/cgroup", "9:name=systemd:/\n4:hugetlb,memory:/job\n1:cpu,cpuacct:/\n");
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "3221225472\n");
	put("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1073741824\n");
	put("/sys/fs/cgroup/memory/job/memory.stat", "inactive_file 0\ntotal_inactive_file 536870912\n");
	clpac__machine machine = look();
	ck_assert_uint_eq(machine.memory_bytes, 3072 * MIB);
	ck_assert_uint_eq(machine.free_bytes, (3072 - 1024 + 512) * MIB);
}

TEST(a_container_that_sees_its_own_group_as_the_root_is_limited)
{
	put_memory();
	put("/proc/self/cgroup", "0::/\n");
	put("/sys/fs/cgroup/memory.max", "1073741824\n");
	put("/sys/fs/cgroup/memory.current", "0\n");
	put("/sys/fs/cgroup/cpu.max", "50000 100000\n");
	clpac__machine machine = look();
	ck_assert_uint_eq(machine.memory_bytes, 1024 * MIB);
	ck_assert_uint_eq(machine.free_bytes, 1024 * MIB);
	ck_assert_uint_eq(machine.cores, 1);
}

TEST(a_quota_limits_the_cores)
{
	/* Checkable only where this process may use more than one core. */
	unsigned cores = look().cores;
	put("/proc/self/cgroup", "2:cpu,cpuacct:/job\n");
	put("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
	put("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
	ck_assert_uint_eq(look().cores, cores);
	put("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "100000\n");
	ck_assert_uint_eq(look().cores, 1);
	put("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "150000\n");
	ck_assert_uint_eq(look().cores, cores < 2 ? cores : 2);
}

TEST(nothing_known_is_one_core_and_zeros)
{
	clpac__machine machine = look();
	ck_assert_uint_ge(machine.cores, 1);
	ck_assert_str_eq(machine.name, "");
	ck_assert_uint_eq(machine.memory_bytes, 0);
	ck_assert_uint_eq(machine.free_bytes, 0);
	ck_assert_uint_eq(machine.cache_bytes, 0);
}

TEST(damaged_files_are_nothing_known)
{
	put("/proc/cpuinfo", "");
	put("/proc/meminfo", "MemTotal\nMemAvailable: many kB\n");
	put("/proc/self/cgroup", "0\nmemory\n:::::\n\n4:memory\n");
	put("/sys/devices/system/cpu/cpu0/cache/index0/size", "");
	clpac__machine machine = look();
	ck_assert_uint_eq(machine.memory_bytes, 0);
	ck_assert_uint_eq(machine.free_bytes, 0);
	ck_assert_uint_eq(machine.cache_bytes, 0);
}

TEST(this_machine_has_memory_and_a_core)
{
	clpac__machine machine;
	clpac__machine_look("", &machine);
	ck_assert_uint_ge(machine.cores, 1);
	ck_assert_uint_le(machine.cores, (unsigned long)sysconf(_SC_NPROCESSORS_CONF));
	ck_assert_uint_gt(machine.memory_bytes, 64 * MIB);
	ck_assert_uint_le(machine.free_bytes, machine.memory_bytes);
}

/* Of AMD's cards. */
TEST(what_displays_hold_of_a_card_is_told)
{
	static const char card[] = "0000:03:00.0";
	uint64_t bytes = 7;
	ck_assert(!clpac__machine_card_free_bytes(root, card, &bytes));
	put("/sys/bus/pci/devices/0000:03:00.0/mem_info_vram_total", "17163091968\n");
	ck_assert(!clpac__machine_card_free_bytes(root, card, &bytes));
	put("/sys/bus/pci/devices/0000:03:00.0/mem_info_vram_used", "2147483648\n");
	ck_assert(clpac__machine_card_free_bytes(root, card, &bytes));
	ck_assert_uint_eq(bytes, 17163091968u - 2147483648u);
	put("/sys/bus/pci/devices/0000:03:00.0/mem_info_vram_used", "17163091969\n");
	ck_assert(clpac__machine_card_free_bytes(root, card, &bytes));
	ck_assert_uint_eq(bytes, 0);
	put("/sys/bus/pci/devices/0000:03:00.0/mem_info_vram_used", "none\n");
	ck_assert(!clpac__machine_card_free_bytes(root, card, &bytes));
	ck_assert(!clpac__machine_card_free_bytes(root, "", &bytes));
}
