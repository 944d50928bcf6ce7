/* Elements of results' lists, for programs that do not know how large they are in the library that
 * runs. */
#include "sator/analyze.h"
#include "sator/map.h"
#include "sator/simulate.h"

/* A function that returns element "index" of a list, or NULL. */
#define ELEMENT(name, owner, element, list, count)                                                 \
    const struct element *name(const struct owner *of, int index)                                  \
    {                                                                                              \
        return of == NULL || index < 0 || index >= of->count ? NULL : &of->list[index];            \
    }

ELEMENT(sator_result_tensor, sator_result, sator_tensor_result, tensors, n_tensors)
ELEMENT(sator_result_level, sator_result, sator_level_result, levels, n_levels)
ELEMENT(sator_result_port, sator_result, sator_port_result, ports, n_ports)
ELEMENT(sator_result_energy_term, sator_result, sator_energy_term, energy_terms, n_energy_terms)
ELEMENT(sator_result_saving, sator_result, sator_saving, savings, n_savings)
ELEMENT(sator_result_sweep_point, sator_result, sator_bandwidth_point, sweep, n_sweep)
ELEMENT(sator_result_advice, sator_result, sator_advice, advice, n_advice)
ELEMENT(sator_tensor_result_link, sator_tensor_result, sator_link_volume, links, n_links)
ELEMENT(sator_level_result_tensor, sator_level_result, sator_level_tensor, tensors, n_tensors)
ELEMENT(sator_network_result_layer, sator_network_result, sator_layer_result, layers, n_layers)
ELEMENT(sator_map_result_level, sator_map_result, sator_map_level, levels, n_levels)
ELEMENT(sator_map_result_energy_term, sator_map_result, sator_energy_term, energy_terms,
        n_energy_terms)
ELEMENT(sator_map_level_loop, sator_map_level, sator_map_loop, loops, n_loops)
ELEMENT(sator_map_level_fill, sator_map_level, sator_map_fill, fills, n_fills)
ELEMENT(sator_simulation_get_stall, sator_simulation, sator_simulation_stall, stalls, n_stalls)
ELEMENT(sator_simulation_get_difference, sator_simulation, sator_simulation_difference, differences,
        n_kept)
ELEMENT(sator_map_front_layer, sator_map_front, sator_map_layer_front, layers, n_layers)
ELEMENT(sator_map_front_point, sator_map_front, sator_map_point, points, n_points)
