import type { ReactNode } from 'react'
import { DataTable, Pager, type Paging, type TableProps } from './data-table.tsx'
import { Shown, type ShownProps } from './states.tsx'

type Page<Row> = Paging & { items: readonly Row[] }

type Props<Row> = Omit<TableProps<Row>, 'rows' | 'rowId' | 'stale'> & {
  read: ShownProps<Page<Row>>['read'] & { isPlaceholderData: boolean }
  /** Whether that is known which stands above the list. */
  when?: boolean
  /** How many rows its loading has the room of. */
  loadingRows?: number
  noun: string
  nouns?: string
  /** Takes the page into the address, as `useUrlState` does. */
  setUrl: (change: { page: string; pageSize?: string }, how?: { replace: boolean }) => void
  /** Whether the address also has how many rows a page has. */
  sized?: boolean
  /** What stands there when there is no row. */
  none?: ReactNode
}

/** A list as the server pages it: its loading or fault, what stands there when it is empty, or its rows and the ways on. */
export function PagedTable<Row extends { id: string }>(props: Props<Row>) {
  const { read, when, loadingRows, noun, nouns, setUrl, sized = false, none, ...table } = props
  return (
    <Shown read={read} when={when} rows={loadingRows}>
      {(page) =>
        page.totalItems === 0 && none !== undefined ? (
          none
        ) : (
          <>
            <DataTable {...table} rows={page.items} rowId={({ id }) => id} stale={read.isPlaceholderData} />
            <Pager
              {...page}
              noun={noun}
              nouns={nouns}
              onPage={(next, how) => setUrl({ page: String(next) }, how)}
              onPageSize={
                sized ? (size) => setUrl({ pageSize: String(size), page: '1' }, { replace: true }) : undefined
              }
            />
          </>
        )
      }
    </Shown>
  )
}
