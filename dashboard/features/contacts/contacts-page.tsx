import { useState } from 'react'
import { keepChoice, keptChoice } from '../../lib/kept-choice.ts'
import { lazyPart, usePartsHere } from '../../lib/load-part.ts'
import { useCan } from '../../lib/permissions.ts'
import { areKnown, useOnceKnown } from '../../lib/use-known.ts'
import { useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { Button } from '../../ui/controls.tsx'
import { FilterBar, FilterSelect, FoldedFilters, OrderSelect, SearchField } from '../../ui/filter-bar.tsx'
import { FileImportIcon, PlusIcon, UsersIcon } from '../../ui/icons.tsx'
import { ButtonLink } from '../../ui/link.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { EmptyState, NoneFits } from '../../ui/states.tsx'
import { AudienceTabs } from './audience-tabs.tsx'
import { ColumnChooser } from './column-chooser.tsx'
import { COLUMNS_BY_DEFAULT, CONTACT_ORDERS, columnsOf, orderOf } from './contact-columns.tsx'
import { ChoiceFilter, FieldFilter, useFilterChoices } from './contact-filters.tsx'
import { contactName } from './contact-name.ts'

const ListActs = lazyPart(() => import('./list-acts.tsx'))
const NewContact = lazyPart(() => import('./new-contact.tsx'))
const SampleContacts = lazyPart(() => import('./sample-contacts.tsx'))
/** Of the row above the list. */
const PARTS = [FieldFilter, ListActs]
const NO_FILTER = { search: '', tag: '', segmentId: '', field: '', fieldValue: '', since: '' }
const DEFAULTS = { ...NO_FILTER, page: '1', pageSize: '25', sort: 'id' }
/** The columns that somebody chose last are those of their next visit. */
const COLUMNS_CHOICE = 'contact-columns'
const DAY_MS = 86_400_000
const SPANS = [
  { value: '1', label: 'the last day' },
  { value: '7', label: 'the last 7 days' },
  { value: '30', label: 'the last 30 days' },
]

/** Everybody the workspace knows, by server pages, with an exact total. */
export default function ContactsPage() {
  const can = useCan()
  const [columns] = useState(() => keptChoice(COLUMNS_CHOICE) ?? COLUMNS_BY_DEFAULT)
  const [url, setUrl] = useUrlState({ ...DEFAULTS, columns })
  const [isNew, setNew] = useState(false)
  const [selected, select] = useSelected(Object.keys(NO_FILTER).map((name) => url[name as keyof typeof NO_FILTER]))
  const filter = {
    search: url.search || undefined,
    tag: url.tag || undefined,
    segmentId: url.segmentId || undefined,
    customField: customFieldOf(url),
    updatedSince: sinceOf(url.since),
  }
  const sort = orderOf(url.sort)
  const query = {
    ...filter,
    sort: sort === 'id' ? undefined : sort,
    page: pageNumber(url.page),
    pageSize: Number(url.pageSize) || 25,
  }
  const contacts = useSite('GET /contacts', { query }, { keep: true })
  const choices = useFilterChoices()
  const arePartsHere = usePartsHere(PARTS)
  // The row above the list may have a second line, so that it is shown whole, and with the list.
  const isKnown = useOnceKnown(arePartsHere && choices.areKnown && areKnown(contacts))
  const active = Object.values(filter).filter((value) => value !== undefined).length
  const order = (next: string) => setUrl({ sort: next, page: '1' })
  const choose = (columns: string) => {
    keepChoice(COLUMNS_CHOICE, columns)
    setUrl({ columns }, { replace: true })
  }
  const narrow = (change: Partial<typeof NO_FILTER>, replace = false) => setUrl({ ...change, page: '1' }, { replace })

  return (
    <>
      <PageHeader
        title="Contacts"
        actions={
          <>
            <AsCurl operation="GET /contacts" query={query} />
            {can('contacts:write') && (
              <Button kind="primary" icon={PlusIcon} onClick={() => setNew(true)}>
                New contact
              </Button>
            )}
          </>
        }
      >
        Everybody you may write to, and what you know of them.
      </PageHeader>
      <AudienceTabs />
      <FilterBar
        active={isKnown ? active : 0}
        onClear={() => narrow(NO_FILTER)}
        end={
          isKnown && (
            <>
              <ListActs
                filter={filter}
                total={contacts.data?.totalItems ?? 0}
                selected={selected}
                onClear={() => select(NOBODY)}
              />
              <ColumnChooser fields={choices.fields} chosen={url.columns} onChange={choose} />
            </>
          )
        }
      >
        <SearchField
          label="Search contacts"
          placeholder="Name, address, phone, id"
          value={url.search}
          onChange={(search) => narrow({ search }, true)}
        />
        <FoldedFilters isSet={active > 0}>
          {isKnown && (
            <>
              <ChoiceFilter label="Tag" options={choices.tags} value={url.tag} onChange={(tag) => narrow({ tag })} />
              <ChoiceFilter
                label="Segment"
                options={choices.segments}
                value={url.segmentId}
                onChange={(segmentId) => narrow({ segmentId })}
              />
              <FieldFilter
                fields={choices.fields}
                field={url.field}
                value={url.fieldValue}
                onChange={(change) => narrow(change)}
              />
              <FilterSelect label="Changed" value={url.since} onChange={(since) => narrow({ since })} options={SPANS} />
              <OrderSelect value={sort} onChange={order} options={CONTACT_ORDERS} />
            </>
          )}
        </FoldedFilters>
      </FilterBar>
      <PagedTable
        read={contacts}
        when={isKnown}
        loadingRows={10}
        label="Contacts"
        columns={columnsOf(url.columns, choices.fields)}
        rowName={contactName}
        {...(can('contacts:write') || can('contacts:erase') ? { selection: { ids: selected, change: select } } : {})}
        sorting={{ sort, onSort: order }}
        noun="contact"
        setUrl={setUrl}
        sized
        none={
          active > 0 ? (
            <NoneFits noun="contact" title="Nobody fits" act="Show everybody" onClear={() => narrow(NO_FILTER)} />
          ) : (
            <EmptyState
              title="Nobody is here yet"
              icon={UsersIcon}
              actions={
                can('contacts:write') && (
                  <>
                    <Button kind="primary" icon={PlusIcon} onClick={() => setNew(true)}>
                      New contact
                    </Button>
                    <ButtonLink to="/contacts/imports/new" icon={FileImportIcon}>
                      Import a file
                    </ButtonLink>
                    <SampleContacts />
                  </>
                )
              }
            >
              Contacts are the people you write to. They come from a file, from your program, or one by one.
            </EmptyState>
          )
        }
      />
      {isNew && <NewContact onClose={() => setNew(false)} />}
    </>
  )
}

const NOBODY: ReadonlySet<string> = new Set()

/** Who is selected stays so from page to page of one list; another list begins with nobody. */
function useSelected(filter: readonly string[]): [ReadonlySet<string>, (ids: ReadonlySet<string>) => void] {
  const list = JSON.stringify(filter)
  const [selected, setSelected] = useState({ list, ids: NOBODY })
  return [selected.list === list ? selected.ids : NOBODY, (ids) => setSelected({ list, ids })]
}

/** To the hour, so that the same filter asks the same of the server for a while. */
function sinceOf(days: string): string | undefined {
  const count = Number(days)
  if (!Number.isInteger(count) || count < 1) return undefined
  const at = new Date(Date.now() - count * DAY_MS)
  at.setUTCMinutes(0, 0, 0)
  return at.toISOString()
}

/** The filter as the API takes it; none before there is a value. */
function customFieldOf({ field, fieldValue }: { field: string; fieldValue: string }): string | undefined {
  return field === '' || fieldValue === '' ? undefined : `${field}:${fieldValue}`
}
