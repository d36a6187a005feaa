import { useState } from 'react'
import { namesText } from '../../lib/format.ts'
import { useCan } from '../../lib/permissions.ts'
import type { Form } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { Button } from '../../ui/controls.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FormsIcon, PlusIcon } from '../../ui/icons.tsx'
import { Link } from '../../ui/link.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { FormState } from './form-words.tsx'
import { NewForm } from './new-form.tsx'

/** Forms by which people sign up by themselves. */
export default function FormsPage() {
  const mayWrite = useCan()('forms:write')
  const [url, setUrl] = useUrlState({ page: '1' })
  const [isNew, setNew] = useState(false)
  const query = { page: pageNumber(url.page) }
  const forms = useSite('GET /forms', { query }, { keep: true })
  const newForm = mayWrite && (
    <Button kind="primary" icon={PlusIcon} onClick={() => setNew(true)}>
      New form
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Forms"
        actions={
          <>
            <AsCurl operation="GET /forms" query={query} />
            {newForm}
          </>
        }
      >
        People sign up by themselves, and become contacts once they have confirmed it by mail.
      </PageHeader>
      <PagedTable
        read={forms}
        label="Forms"
        columns={COLUMNS}
        noun="form"
        setUrl={setUrl}
        none={
          <EmptyState title="No forms yet" icon={FormsIcon} actions={newForm}>
            A form has a page of its own, and can stand on any site: as a piece of HTML, as a script, as a pop-up. What
            somebody agreed to is kept with each consent.
          </EmptyState>
        }
      />
      {isNew && <NewForm onClose={() => setNew(false)} />}
    </>
  )
}

const COLUMNS: Column<Form>[] = [
  {
    id: 'name',
    head: 'Form',
    width: '40%',
    cell: ({ id, name }) => (
      <Link to={`/forms/${id}`} className="row-name">
        {name}
      </Link>
    ),
  },
  { id: 'state', head: 'State', narrow: true, cell: ({ state }) => <FormState state={state} /> },
  {
    id: 'tags',
    head: 'Tags it gives',
    narrow: 'below',
    cell: ({ tags }) => (tags.length === 0 ? <span className="soft none">No tag</span> : namesText(tags)),
  },
  { id: 'changed', head: 'Changed', narrow: 'below', cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
]
