import { type CSSProperties, type ReactNode, useEffect, useEffectEvent } from 'react'
import { countText } from '../lib/format.ts'
import { Checkbox, IconButton, Select } from './controls.tsx'
import classes from './data-table.module.css'
import { ChevronLeftIcon, ChevronRightIcon } from './icons.tsx'
import { useNarrower, widthFor } from './use-fold.ts'

export type Column<Row> = {
  id: string
  head: string
  cell: (row: Row) => ReactNode
  /** Numbers stand to the right, in figures of one width. */
  numeric?: boolean
  /** Shown on phones too: beside the first, or in a line below it with its head. */
  narrow?: boolean | 'below'
  /** CSS width; the others share the rest. */
  width?: string
  /** What the list is in order by when its head is pressed. */
  sortKey?: string
}

/** The order of a list as its address has it: a key, with a `-` before it the other way round. */
export type Sorting = { sort: string; onSort: (sort: string) => void }

export type Selection = { ids: ReadonlySet<string>; change: (ids: ReadonlySet<string>) => void }

export type TableProps<Row> = {
  /** Said to readers: what the rows are. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowId: (row: Row) => string
  /** Names a row where its box is said. */
  rowName?: (row: Row) => string
  selection?: Selection
  sorting?: Sorting
  /** While the next page is on its way. */
  stale?: boolean
}

/**
 * Rows as the server has paged them. On phones a row is a block: its first column, then those that are `narrow`. Where there is more
 * room than that, and less than its columns need, it is one of two lines, and nothing is left out; heads that put the list in order, and
 * the box of a whole page, stay above it.
 */
export function DataTable<Row>({
  label,
  columns,
  rows,
  rowId,
  rowName = rowId,
  selection,
  sorting,
  stale = false,
}: TableProps<Row>) {
  const ids = rows.map(rowId)
  const chosen = selection ? ids.filter((id) => selection.ids.has(id)).length : 0
  const { ref, narrower } = useNarrower(widthFor(columns, selection !== undefined))
  return (
    <section ref={ref} className={classes.scroll} aria-label={label} aria-busy={stale} data-busy={stale || undefined}>
      <table className={classes.table} data-folded={narrower || undefined}>
        <caption className="visually-hidden">{label}</caption>
        <thead>
          <tr>
            {selection && (
              <th className={classes.box}>
                <Checkbox
                  aria-label="Select this page"
                  checked={ids.length > 0 && chosen === ids.length}
                  indeterminate={chosen > 0 && chosen < ids.length}
                  onChange={(event) => selection.change(withPage(selection.ids, ids, event.currentTarget.checked))}
                />
              </th>
            )}
            {columns.map(({ id, head, numeric, narrow, width, sortKey }, index) => (
              <th
                key={id}
                scope="col"
                data-numeric={numeric || undefined}
                data-wide={(index > 0 && !narrow) || undefined}
                style={{ '--width': width } as CSSProperties}
                aria-sort={sorting && sortKey !== undefined ? orderBy(sortKey, sorting.sort) : undefined}
              >
                {sorting && sortKey !== undefined ? <SortHead {...{ head, sortKey, sorting }} /> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const id = rowId(row)
            return (
              <tr key={id} data-chosen={selection?.ids.has(id) || undefined}>
                {selection && (
                  <td className={classes.box}>
                    <Checkbox
                      aria-label={`Select ${rowName(row)}`}
                      checked={selection.ids.has(id)}
                      onChange={(event) => selection.change(withPage(selection.ids, [id], event.currentTarget.checked))}
                    />
                  </td>
                )}
                {columns.map(({ id: column, head, cell, numeric, narrow }, index) => (
                  <td
                    key={column}
                    data-numeric={numeric || undefined}
                    data-wide={(index > 0 && !narrow) || undefined}
                    data-below={narrow === 'below' ? head : undefined}
                    data-head={index > 0 && narrow !== true ? head : undefined}
                  >
                    {cell(row)}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

function orderBy(sortKey: string, sort: string) {
  return sort === sortKey ? 'ascending' : sort === `-${sortKey}` ? 'descending' : 'none'
}

function SortHead({ head, sortKey, sorting }: { head: string; sortKey: string; sorting: Sorting }) {
  const order = orderBy(sortKey, sorting.sort)
  return (
    <button
      type="button"
      className={classes.sort}
      onClick={() => sorting.onSort(order === 'ascending' ? `-${sortKey}` : sortKey)}
    >
      {head}
      {order !== 'none' && <span aria-hidden="true">{order === 'ascending' ? ' ↑' : ' ↓'}</span>}
    </button>
  )
}

function withPage(ids: ReadonlySet<string>, page: readonly string[], isIn: boolean): ReadonlySet<string> {
  const next = new Set(ids)
  for (const id of page) {
    if (isIn) next.add(id)
    else next.delete(id)
  }
  return next
}

export type Paging = { page: number; pageSize: number; totalItems: number; totalPages: number }

const PAGE_SIZES = ['25', '50', '100']

/**
 * Where one is in a list, exactly, and the ways on. Beyond the last page, as when what stood there was deleted, it goes to the last by
 * itself, in the place of that address: nobody comes back to it by Back.
 */
export function Pager({
  page,
  pageSize,
  totalItems,
  totalPages,
  noun,
  nouns,
  onPage,
  onPageSize,
}: Paging & {
  noun: string
  nouns?: string | undefined
  onPage: (page: number, how?: { replace: boolean }) => void
  onPageSize?: ((pageSize: number) => void) | undefined
}) {
  const first = totalItems === 0 ? 0 : (page - 1) * pageSize + 1
  const last = Math.min(page * pageSize, totalItems)
  const isBeyond = totalPages > 0 && page > totalPages
  const toLast = useEffectEvent(() => onPage(totalPages, { replace: true }))
  useEffect(() => {
    if (isBeyond) toLast()
  }, [isBeyond])
  return (
    <nav className={classes.pager} aria-label="Pages of this list">
      <p className="numbers" role="status">
        {totalPages > 1 && !isBeyond && `${first.toLocaleString('en')}–${last.toLocaleString('en')} of `}
        {countText(totalItems, noun, nouns)}
      </p>
      <div className={classes.steps}>
        {onPageSize && totalItems > Number(PAGE_SIZES[0]) && (
          <Select
            label="Rows a page"
            hideLabel
            value={String(pageSize)}
            onChange={(event) => onPageSize(Number(event.currentTarget.value))}
            options={PAGE_SIZES.map((size) => ({ value: size, label: `${size} rows` }))}
          />
        )}
        {totalPages > 1 && (
          <>
            <IconButton
              label="Page before"
              icon={ChevronLeftIcon}
              disabled={page <= 1}
              onClick={() => onPage(page - 1)}
            />
            <IconButton
              label="Next page"
              icon={ChevronRightIcon}
              disabled={page >= totalPages}
              onClick={() => onPage(page + 1)}
            />
          </>
        )}
      </div>
    </nav>
  )
}
