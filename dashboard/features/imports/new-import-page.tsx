import { useNavigate } from '@tanstack/react-router'
import { useAct } from '../../lib/use-site.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { UploadField } from '../../ui/upload-field.tsx'
import classes from './imports.module.css'

const MIB = 1_048_576
const FILE_BYTES_MAX = 256 * MIB

/** The first of three steps: the file. Once it is there, its page has the other two, and waits for days. */
export default function NewImportPage() {
  const navigate = useNavigate()
  const upload = useAct('POST /contacts/imports', { changes: ['/contacts/imports'] })
  return (
    <>
      <PageHeader title="Import contacts" back={{ to: '/contacts/imports', label: 'Imports' }}>
        First the file. Nothing is imported before you have seen its columns and said what they are.
      </PageHeader>
      <div className={classes.narrow}>
        <UploadField
          label={
            'A CSV file with a row of names on top, of up to 256\u00a0MiB. Comma, semicolon or tab, in whatever encoding.'
          }
          accept=".csv,.txt,.tsv,text/csv"
          bytesMax={FILE_BYTES_MAX}
          send={(file, sending) =>
            upload
              .mutateAsync({ query: { fileName: file.name }, file: { content: file, type: 'text/csv' }, ...sending })
              .then(({ value }) => navigate({ to: `/contacts/imports/${value.id}` as never, replace: true }))
          }
        />
        <p className="soft">
          It needs a column of addresses, phone numbers or your own ids. You say next what becomes of people who are
          here already.
        </p>
      </div>
    </>
  )
}
