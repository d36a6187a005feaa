import { useMemo } from 'react'
import { useCan } from '../../lib/permissions.ts'
import { isProblem } from '../../lib/problem.ts'
import { useSite } from '../../lib/use-site.ts'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/panel.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { AudienceCount, useAudience } from './audience-count.tsx'
import { CONTACT_FIELDS, customEntry } from './rule-catalogue.ts'
import { RuleGroup } from './rule-editor.tsx'
import { isFinished, parseTree, pathOf, textOf } from './rule-tree.ts'
import classes from './segments.module.css'

const FIELDS_MAX = 500

/** The rules beside the people who fit them. */
export function SegmentEditor({
  definition,
  onChange,
  readOnly,
}: {
  definition: string
  onChange: (definition: string) => void
  readOnly: boolean
}) {
  const can = useCan()
  const custom = useSite(
    'GET /custom-fields',
    { query: { pageSize: FIELDS_MAX } },
    { enabled: can('custom_fields:read') },
  )
  const fields = useMemo(() => [...CONTACT_FIELDS, ...(custom.data?.items ?? []).map(customEntry)], [custom.data])
  const tree = useMemo(() => parseTree(definition), [definition])
  const audience = useAudience(definition, tree === undefined || isFinished(tree))
  const faults = isProblem(audience.error, 422)
    ? audience.error.errors.map(({ pointer, detail }) => ({ path: pathOf(pointer), detail }))
    : []
  return (
    <div className={classes.editor}>
      <Panel title="Rules">
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
      <Panel title="Who fits">
        <AudienceCount audience={audience} />
      </Panel>
    </div>
  )
}
