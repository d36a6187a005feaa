import { lazyPart } from '../../../lib/load-part.ts'
import { useCan } from '../../../lib/permissions.ts'
import { IconButton } from '../../../ui/controls.tsx'
import { CopyIcon, DotsIcon, TrashIcon } from '../../../ui/icons.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { flowOf, waysOf } from '../flow.ts'
import { kindText, wayText } from '../node-words.ts'
import classes from './builder.module.css'
import { EnterForm } from './enter-form.tsx'
import { faultText } from './fault-words.ts'
import { LeadsTo } from './leads-to.tsx'
import { type EditRow, SETTINGS_KEY } from './outline-rows.ts'
import { StepForm } from './step-form.tsx'
import { StillNeeded } from './still-needed.tsx'
import type { Builder } from './use-builder.ts'
import type { Steps } from './use-steps.ts'
import { WayForm } from './way-form.tsx'

const SettingsForm = lazyPart(() => import('./settings-form.tsx'))

type Props = { at: string; builder: Builder; steps: Steps }

/** The form of what is chosen: how people come in, a step, a way out of one, or the automation as a whole. */
export function SidePanel({ at, builder, steps }: Props) {
  const can = useCan()
  const row = builder.rows.find(({ key }) => key === at)
  if (!can('automations:write')) return null
  return (
    <div data-step-form={at}>
      {at === SETTINGS_KEY ? (
        <SettingsForm builder={builder} />
      ) : row?.is === 'step' ? (
        <StepPanel row={row} builder={builder} steps={steps} />
      ) : row?.is === 'way' ? (
        <WayPanel row={row} builder={builder} />
      ) : row?.is === 'tail' ? (
        <Panel title="The end of this way">
          <LeadsTo builder={builder} label="It goes on at" edges={row.tail.place.edges} to={row.tail.place.to} />
        </Panel>
      ) : (
        <EnterForm builder={builder} onSettings={() => steps.choose(SETTINGS_KEY)} />
      )}
    </div>
  )
}

function StepPanel({ row, builder, steps }: { row: Extract<EditRow, { is: 'step' }>; builder: Builder; steps: Steps }) {
  const { id, node, up, down, after } = row
  const own = builder.faults.filter(({ key, pointer }) => key === row.key && pointer === '')
  const ways = waysOf(node)
  const isOne = ways.every(({ to }) => to === ways[0]?.to)
  const plain = !['wait', 'branch', 'split'].includes(node.type)
  return (
    <Panel
      title={kindText(node)}
      actions={
        <span className={classes.head}>
          <Menu
            target={<IconButton label="More for this step" icon={DotsIcon} tooltip={false} />}
            entries={[
              { label: 'Duplicate', icon: CopyIcon, onSelect: () => steps.duplicate(id) },
              { label: 'Copy', onSelect: () => void toClipboard(steps.copy(id)) },
              { label: 'Cut', onSelect: () => void toClipboard(steps.cut(id)) },
              { label: 'Put copied steps behind', onSelect: () => after && steps.paste(after) },
              'divider',
              {
                label: 'Move up',
                onSelect: () => steps.move(id, up),
                ...(up ? {} : { disabled: 'It is the first here.' }),
              },
              {
                label: 'Move down',
                onSelect: () => steps.move(id, down),
                ...(down ? {} : { disabled: 'It is the last here.' }),
              },
            ]}
          />
          <IconButton label="Remove this step" icon={TrashIcon} onClick={() => steps.askRemove(id)} />
        </span>
      }
    >
      <div className={classes.fields}>
        {own.map((fault) => (
          <p key={fault.detail} className="field-error" role="alert">
            {faultText(fault, node)}
          </p>
        ))}
        <StillNeeded builder={builder} rowKey={row.key} />
        <StepForm key={row.key} id={id} node={node} rowKey={row.key} builder={builder} />
        {plain && ways.length > 0 && (
          <>
            <LeadsTo
              builder={builder}
              label={node.type === 'email' && !isOne ? 'Then, if it was sent' : 'Then'}
              edges={isOne ? ways.map(({ way }) => ({ from: id, way })) : [{ from: id, way: 'to' }]}
              to={ways[0]!.to}
            />
            {node.type === 'email' && (
              <LeadsTo
                builder={builder}
                label="Who is not mailed goes on at"
                edges={[{ from: id, way: 'skipped' }]}
                to={ways[1]!.to}
              />
            )}
          </>
        )}
      </div>
    </Panel>
  )
}

function WayPanel({ row, builder }: { row: Extract<EditRow, { is: 'way' }>; builder: Builder }) {
  const { of, way } = row
  const node = flowOf(builder.definition).nodes.get(of) ?? row.node
  const title = wayText(node, way, builder.referenceName) || 'Way'
  return (
    <Panel title={title}>
      <div className={classes.fields}>
        {Number.isInteger(Number(way)) && <WayForm id={of} node={node} at={Number(way)} builder={builder} />}
        <LeadsTo builder={builder} label="It leads to" edges={[{ from: of, way }]} to={row.place.to} />
      </div>
    </Panel>
  )
}

/** Browsers without a clipboard for pages keep the steps themselves. */
async function toClipboard(text: string): Promise<void> {
  await navigator.clipboard?.writeText(text).catch(() => undefined)
}
