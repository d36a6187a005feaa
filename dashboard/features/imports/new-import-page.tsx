import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { isProblem, type SiteProblem } from '../../lib/problem.ts'
import { useAct } from '../../lib/use-site.ts'
import { FileField } from '../../ui/file-field.tsx'
import { FormProblem } from '../../ui/form-problem.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import classes from './imports.module.css'

const MIB = 1_048_576
const FILE_BYTES_MAX = 256 * MIB

/** The first of three steps: the file. Once it is there, its page has the other two, and waits for days. */
export default function NewImportPage() {
  const navigate = useNavigate()
  const [problem, setProblem] = useState<SiteProblem>()
  const [tooLarge, setTooLarge] = useState<string>()
  const upload = useAct('POST /contacts/imports', { changes: ['/contacts/imports'] })
  const take = (file: File) => {
    setProblem(undefined)
    setTooLarge(
      file.size > FILE_BYTES_MAX
        ? `${file.name} has ${Math.round(file.size / MIB)} MiB; at most 256 MiB are taken.`
        : undefined,
    )
    if (file.size > FILE_BYTES_MAX) return
    upload
      .mutateAsync({ query: { fileName: file.name }, file: { content: file, type: 'text/csv' } })
      .then(({ value }) => navigate({ to: `/contacts/imports/${value.id}` as never, replace: true }))
      .catch((error: unknown) => {
        if (!isProblem(error)) throw error
        setProblem(error)
      })
  }
  return (
    <>
      <PageHeader title="Import contacts" back={{ to: '/contacts/imports', label: 'Imports' }}>
        First the file. Nothing is imported before you have seen its columns and said what they are.
      </PageHeader>
      <div className={classes.narrow}>
        <FileField
          label="A CSV file with a row of names on top, of up to 256 MiB. Comma, semicolon or tab, in whatever encoding."
          accept=".csv,.txt,.tsv,text/csv"
          busy={upload.isPending}
          onFile={take}
        />
        {tooLarge !== undefined && <Notice tone="bad">{tooLarge}</Notice>}
        {problem && <FormProblem problem={problem} />}
        <p className="soft">
          It needs a column of addresses, phone numbers or your own ids. People who are here already are completed, or
          overwritten if you say so.
        </p>
      </div>
    </>
  )
}
