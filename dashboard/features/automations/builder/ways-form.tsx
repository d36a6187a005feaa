import { useState } from 'react'
import { sentence } from '../../../lib/sentence.ts'
import { Button, IconButton } from '../../../ui/controls.tsx'
import {
  ArrowDownIcon,
  ArrowUpIcon,
  ChevronDownIcon,
  ChevronRightIcon,
  PlusIcon,
  TrashIcon,
} from '../../../ui/icons.tsx'
import { text } from '../flow-node.ts'
import { wayText } from '../node-words.ts'
import classes from './builder.module.css'
import { DurationField } from './duration-field.tsx'
import { LeadsTo } from './leads-to.tsx'
import { stepKey } from './outline-rows.ts'
import type { FormProps } from './step-form.tsx'
import { addWay, removeWay, shiftWay, waysListed, waysOut } from './step-ways.ts'
import type { Builder } from './use-builder.ts'
import { WayForm } from './way-form.tsx'

const WAYS_MAX = 20
const WORDS = {
  wait: { add: 'Another event', none: 'Nothing came' },
  branch: { add: 'Another way', none: 'Everybody else' },
  split: { add: 'Another part', none: '' },
} as const

/** The ways out of a step, asked one after the other; the form of one is open. */
export function WaysForm({ id, node, faultAt, change, builder }: FormProps & { id: string; builder: Builder }) {
  const [open, setOpen] = useState(0)
  const { definition, edit } = builder
  const kind = node.type as keyof typeof WORDS
  const ways = waysListed(node)
  const out = waysOut(definition, id)
  const rest = out.find(({ way }) => way === 'late' || way === 'else')
  const fewest = kind === 'split' ? 2 : 1
  const sum = faultAt('/ways')
  return (
    <>
      {kind === 'wait' && (
        <DurationField
          label="At most"
          value={text(node.timeout)}
          fault={faultAt('/timeout')}
          onChange={(timeout) => change({ timeout })}
        />
      )}
      {kind === 'split' && sum !== undefined && <p className="field-error">{sentence(`the parts ${sum}`)}</p>}
      {ways.map((_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a way is known by its place
        <div key={at} className={classes.part}>
          <div className={classes.partHead}>
            <Button
              small
              kind="quiet"
              icon={open === at ? ChevronDownIcon : ChevronRightIcon}
              aria-expanded={open === at}
              onClick={() => setOpen(open === at ? -1 : at)}
            >
              {wayText(node, String(at), builder.referenceName) || `Way ${at + 1}`}
            </Button>
            {kind === 'branch' && ways.length > 1 && (
              <>
                <IconButton
                  label={`Ask way ${at + 1} earlier`}
                  icon={ArrowUpIcon}
                  disabled={at === 0}
                  onClick={() => edit(shiftWay(definition, id, at, -1))}
                />
                <IconButton
                  label={`Ask way ${at + 1} later`}
                  icon={ArrowDownIcon}
                  disabled={at === ways.length - 1}
                  onClick={() => edit(shiftWay(definition, id, at, 1))}
                />
              </>
            )}
            {ways.length > fewest && (
              <IconButton
                label={`Remove way ${at + 1}`}
                icon={TrashIcon}
                onClick={() => edit(removeWay(definition, id, at), { told: 'Way removed.' })}
              />
            )}
          </div>
          {open === at && (
            <>
              <WayForm id={id} node={node} at={at} builder={builder} />
              <LeadsTo
                builder={builder}
                label="It leads to"
                edges={[{ from: id, way: String(at) }]}
                to={out[at]?.to ?? ''}
              />
            </>
          )}
        </div>
      ))}
      {ways.length < WAYS_MAX && (
        <div>
          <Button
            small
            kind="quiet"
            icon={PlusIcon}
            onClick={() => {
              edit(addWay(definition, id), { told: 'Way added.' })
              builder.begin(stepKey(id))
              setOpen(ways.length)
            }}
          >
            {WORDS[kind].add}
          </Button>
        </div>
      )}
      {rest && (
        <LeadsTo
          builder={builder}
          label={`${WORDS[kind].none}: then`}
          edges={[{ from: id, way: rest.way }]}
          to={rest.to}
        />
      )}
    </>
  )
}
