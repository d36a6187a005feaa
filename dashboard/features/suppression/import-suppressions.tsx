import { useState } from 'react'
import { numberText } from '../../lib/format.ts'
import { isProblem, type SiteProblem } from '../../lib/problem.ts'
import type { SuppressionImport } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FileField } from '../../ui/file-field.tsx'
import { FormProblem } from '../../ui/form-problem.tsx'
import { Notice } from '../../ui/notice.tsx'

/** The list of another service as it is. The same file again changes nothing. */
export default function ImportSuppressions({ onClose }: { onClose: () => void }) {
  const [problem, setProblem] = useState<SiteProblem>()
  const [result, setResult] = useState<SuppressionImport>()
  const take = useAct('POST /suppressions/import', { changes: ['/suppressions'] })
  const upload = (file: File) => {
    setProblem(undefined)
    take
      .mutateAsync({ file: { content: file, type: 'text/csv' } })
      .then(({ value }) => setResult(value))
      .catch((error: unknown) => {
        if (!isProblem(error)) throw error
        setProblem(error)
      })
  }
  return (
    <Dialog title="Import suppressed addresses" opened onClose={onClose}>
      <div className="form">
        {result === undefined ? (
          <FileField
            label="A list of addresses, or a CSV file with a column email"
            accept=".csv,.txt,text/csv"
            busy={take.isPending}
            onFile={upload}
          />
        ) : (
          <Result result={result} />
        )}
        {problem && <FormProblem problem={problem} />}
        <div className="form-actions">
          <Button onClick={onClose}>{result ? 'Close' : 'Cancel'}</Button>
        </div>
      </div>
    </Dialog>
  )
}

function Result({ result: { added, known, failed, errors } }: { result: SuppressionImport }) {
  return (
    <div className="words">
      <Notice tone={failed > 0 ? 'warn' : 'good'}>
        {numberText(added)} added, {numberText(known)} were there before, {numberText(failed)} could not be read. That
        is every row of the file: {numberText(added + known + failed)}.
      </Notice>
      {errors.length > 0 && (
        <ul className="plain-list">
          {errors.map(({ line, detail }) => (
            <li key={line}>
              Line {line}: {detail}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
