import { MergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { useEffect, useRef, useState } from 'react'
import { useCan } from '../../lib/permissions.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { NONCE } from '../../ui/nonce.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Shown } from '../../ui/states.tsx'
import { say, sayProblem } from '../../ui/toasts.tsx'
import './code-editor.css'
import classes from './templates.module.css'

const VERSIONS_SHOWN = 100

type Props = {
  id: string
  /** The text as it is written now. */
  current: string
  etag: string | undefined
  onRestored: () => Promise<void>
  onClose: () => void
}

/** Every text that was in force, with what has changed since, and the way back to it. */
export default function TemplateVersions({ id, current, etag, onRestored, onClose }: Props) {
  const can = useCan()
  const [chosen, setChosen] = useState<number>()
  const versions = useSite('GET /templates/{id}/versions', { params: { id }, query: { pageSize: VERSIONS_SHOWN } })
  const restore = useAct('POST /templates/{id}/versions/{version}/restore', { changes: ['/templates'] })
  const goBackTo = (version: number) =>
    restore
      .mutateAsync({ params: { id, version: String(version) }, ifMatch: etag })
      .then(onRestored)
      .then(() => {
        say(`Version ${version} is in force again, as a new one.`)
        onClose()
      })
      .catch(sayProblem)
  return (
    <Drawer wide title="Versions" opened onClose={onClose}>
      <Shown read={versions}>
        {({ items }) => (
          <ol className={classes.versions}>
            {items.map(({ version, subject, createdAt }, index) => (
              <li key={version}>
                <div className={classes.version}>
                  <span>
                    <strong>Version {version}</strong>
                    {index === 0 && ' (in force)'} <span className="soft">{subject || 'No subject'}</span>
                  </span>
                  <span className="soft">
                    <RelativeTime at={createdAt} />
                  </span>
                  <span className={classes.acts}>
                    <Button
                      small
                      aria-expanded={chosen === version}
                      onClick={() => setChosen(chosen === version ? undefined : version)}
                    >
                      Compare
                    </Button>
                    {index > 0 && can('templates:write') && (
                      <Button small busy={restore.isPending} onClick={() => goBackTo(version)}>
                        Restore
                      </Button>
                    )}
                  </span>
                </div>
                {chosen === version && <Comparison id={id} version={version} current={current} />}
              </li>
            ))}
          </ol>
        )}
      </Shown>
    </Drawer>
  )
}

function Comparison({ id, version, current }: { id: string; version: number; current: string }) {
  const found = useSite('GET /templates/{id}/versions/{version}', { params: { id, version: String(version) } })
  return (
    <Shown read={found} rows={4}>
      {({ body }) =>
        body === current ? <p className="soft">Its text is that of now.</p> : <Merge before={body} after={current} />
      }
    </Shown>
  )
}

const EXTENSIONS = [
  EditorView.cspNonce.of(NONCE),
  EditorState.readOnly.of(true),
  EditorState.lineSeparator.of('\n'),
  EditorView.lineWrapping,
]

function Merge({ before, after }: { before: string; after: string }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const side = (doc: string, label: string) => ({
      doc,
      extensions: [...EXTENSIONS, EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' })],
    })
    const view = new MergeView({
      a: side(before, 'The version'),
      b: side(after, 'Now'),
      parent: place.current!,
      collapseUnchanged: {},
    })
    return () => view.destroy()
  }, [before, after])
  return <div ref={place} className="code-editor" />
}
