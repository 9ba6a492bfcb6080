/* The part of macOS's header that machine_macos.c uses, with a machine's answers. */
#include <stdint.h>

typedef unsigned natural_t, mach_port_t, mach_msg_type_number_t;
typedef int kern_return_t;
typedef int *host_info64_t;
typedef struct vm_statistics64 {
	natural_t free_count, active_count, inactive_count, wire_count;
} vm_statistics64_data_t;
enum { KERN_SUCCESS = 0, HOST_VM_INFO64 = 4, HOST_VM_INFO64_COUNT = sizeof(vm_statistics64_data_t) / sizeof(int) };

static inline mach_port_t mach_host_self(void)
{
	return 1;
}

static inline mach_port_t mach_task_self(void)
{
	return 2;
}

static inline kern_return_t mach_port_deallocate(mach_port_t task, mach_port_t name)
{
	return task == 2 && name == 1 ? KERN_SUCCESS : 1;
}

static inline kern_return_t host_statistics64(mach_port_t host, int what, host_info64_t out, mach_msg_type_number_t *n)
{
	vm_statistics64_data_t *pages = (vm_statistics64_data_t *)(void *)out;
	if (host != 1 || what != HOST_VM_INFO64 || *n != HOST_VM_INFO64_COUNT)
		return 1;
	*pages = (vm_statistics64_data_t){.free_count = 1000, .inactive_count = 24, .active_count = 7, .wire_count = 9};
	return KERN_SUCCESS;
}
