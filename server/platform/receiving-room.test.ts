import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ReceivingRoom } from './receiving-room.ts'

test('nobody has more of the room than each of their shares, all together no more than there is', () => {
  const room = new ReceivingRoom(100)
  const of = (sender: string, group: string) =>
    room.of([
      { of: sender, bytesMax: 40 },
      { of: group, bytesMax: 70 },
    ])
  const [one, two, other] = [of('one', 'a'), of('two', 'a'), of('other', 'b')]
  assert.deepEqual([one.take(40), one.lacks(1), of('one', 'a').take(1)], [undefined, 'share', 'share'])
  assert.deepEqual([two.take(31), two.take(30)], ['share', undefined], 'the group has its share')
  assert.deepEqual([other.take(31), other.take(30), of('third', 'c').take(1)], ['room', undefined, 'room'])
  one.giveBack(40)
  assert.deepEqual([two.take(10), one.take(30), other.take(1)], [undefined, undefined, 'room'])
})
