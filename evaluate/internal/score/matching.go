package score

import "math"

// Matching assigns each row its own column so that the total cost is least. It is the Hungarian method (Kuhn 1955) as
// shortest augmenting paths with potentials (Jonker and Volgenant 1987), in O(rows² · columns). There must be at most
// as many rows as columns, and costs must be finite.
func Matching(cost [][]float64) []int {
	rows := len(cost)
	if rows == 0 {
		return nil
	}
	columns := len(cost[0])
	const none = -1
	// A column is tight for the row that holds it: cost = u + v. All other costs are at least u + v.
	u, v := make([]float64, rows), make([]float64, columns)
	holder := make([]int, columns) // row of each column
	for j := range holder {
		holder[j] = none
	}
	distance, from, done := make([]float64, columns), make([]int, columns), make([]bool, columns)
	for row := range rows {
		for j := range columns {
			distance[j], from[j], done[j] = math.Inf(1), none, false
		}
		// This is Dijkstra's search for a free column, by costs reduced by u and v. A step leads from one column to
		// another if the first column's holder may move to the other.
		at, before, walked := row, none, 0.0
		end := none
		for end == none {
			next := none
			for j := range columns {
				if done[j] {
					continue
				}
				if d := walked + cost[at][j] - u[at] - v[j]; d < distance[j] {
					distance[j], from[j] = d, before
				}
				if next == none || distance[j] < distance[next] {
					next = j
				}
			}
			done[next] = true
			walked = distance[next]
			if holder[next] == none {
				end = next
			} else {
				at, before = holder[next], next
			}
		}
		u[row] += walked
		for j := range columns {
			if done[j] && j != end {
				u[holder[j]] += walked - distance[j]
				v[j] -= walked - distance[j]
			}
		}
		for j := end; ; j = from[j] {
			if from[j] == none {
				holder[j] = row
				break
			}
			holder[j] = holder[from[j]]
		}
	}
	assigned := make([]int, rows)
	for j, row := range holder {
		if row != none {
			assigned[row] = j
		}
	}
	return assigned
}
