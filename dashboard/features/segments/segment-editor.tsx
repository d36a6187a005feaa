import { type ReactNode, useMemo } from 'react'
import { usePartsHere } from '../../lib/load-part.ts'
import { isProblem } from '../../lib/problem.ts'
import { useOnceKnown } from '../../lib/use-known.ts'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Loading } from '../../ui/states.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { AudienceCount, useAudience } from './audience-count.tsx'
import { RuleGroup } from './rule-editor.tsx'
import { isFinished, parseTree, pathOf, textOf } from './rule-tree.ts'
import { EventValue, NamedValue } from './rule-value.tsx'
import classes from './segments.module.css'
import { useRuleFields } from './use-rule-fields.ts'

const FITTING_ID = 'who-fits'
const PARTS = [EventValue, NamedValue]

/** The rules beside the people who fit them; where these come below, a link leads to them. */
export function SegmentEditor({
  definition,
  onChange,
  readOnly,
  children,
}: {
  definition: string
  onChange: (definition: string) => void
  readOnly: boolean
  /** Stands below the rules, where those who fit do not move it by how many they are. */
  children?: ReactNode
}) {
  const fields = useRuleFields()
  const tree = useMemo(() => parseTree(definition), [definition])
  const audience = useAudience(definition, tree === undefined || isFinished(tree))
  const faults = isProblem(audience.error, 422)
    ? audience.error.errors.map(({ pointer, detail }) => ({ path: pathOf(pointer), detail }))
    : []
  const isWhole = useOnceKnown(usePartsHere(PARTS))
  if (!isWhole) return <Loading rows={6} />
  return (
    <div className={classes.editor}>
      <Panel
        title="Rules"
        actions={
          <a className={`button-link ${classes.toFitting}`} href={`#${FITTING_ID}`}>
            Who fits
          </a>
        }
      >
        {tree === undefined ? (
          <>
            <Notice>This definition is edited as text: it is not one that the rule editor can show whole.</Notice>
            <TextArea
              aria-label="Definition"
              value={definition}
              readOnly={readOnly}
              onChange={(event) => onChange(event.currentTarget.value)}
            />
          </>
        ) : (
          <>
            {tree.rules.length === 0 && <p className={`soft ${classes.everyone}`}>Without a rule it is everybody.</p>}
            <RuleGroup
              group={tree}
              path={[]}
              tree={tree}
              fields={fields}
              faults={faults}
              readOnly={readOnly}
              onChange={(next) => onChange(textOf(next))}
            />
          </>
        )}
      </Panel>
      <div id={FITTING_ID} className={classes.fitting}>
        <Panel title="Who fits">
          <AudienceCount audience={audience} />
        </Panel>
      </div>
      {children}
    </div>
  )
}
