// Sending again to the recipients that failed: how many of each reason, and those of unknown outcome behind their own tick.
import { Button, Checkbox, Group, Stack, Table, Text } from "@mantine/core"
import type { Blast, BlastReport } from "@tentpole/client"
import { useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { retriesOf } from "../blast.ts"
import { isReason } from "../search.ts"

const Counts = ({ reasons }: { readonly reasons: ReturnType<typeof retriesOf>["temporary"] }) => {
  const words = useWords("blasts")
  return (
    <Table fz="sm" withRowBorders={false} verticalSpacing={4}>
      <Table.Tbody>
        {reasons.map(({ count, reason }) => (
          <Table.Tr key={reason}>
            <Table.Td pl={0}>{isReason(reason) ? words.reasons[reason] : reason}</Table.Td>
            <Table.Td ta="end">{words.people(count)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

interface Props {
  readonly blast: Blast
  readonly reasons: BlastReport["reasons"]
  readonly onClose: () => void
}

export const RetryDialog = ({ blast, onClose, reasons }: Props) => {
  const words = useWords("blasts")
  const shell = useWords("shell")
  const [includes, setIncludes] = useState(false)
  const { lasting, temporary, unconfirmed } = retriesOf(reasons)
  const count = temporary.reduce((sum, each) => sum + each.count, 0) + (includes ? unconfirmed : 0)
  const request = { params: { blastId: blast.blast_id }, payload: { include_unconfirmed: includes } }
  const retry = useMutationOf("blasts", "retryFailed", { done: () => words.retrying, onDone: onClose })
  return (
    <Modal opened onClose={onClose} title={words.retryTitle} closeButtonProps={{ "aria-label": shell.close }}>
      <Stack>
        <Text size="sm">{words.retryText}</Text>
        {temporary.length > 0 && <Counts reasons={temporary} />}
        {unconfirmed > 0 && (
          <Checkbox
            label={words.includeUnconfirmed(unconfirmed)}
            description={words.unconfirmedText}
            checked={includes}
            onChange={({ currentTarget }) => setIncludes(currentTarget.checked)}
          />
        )}
        {lasting.length > 0 && (
          <div>
            <Text size="sm" c="dimmed">
              {words.notRetried}
            </Text>
            <Counts reasons={lasting} />
          </div>
        )}
        {retry.isError && <Problem error={retry.error} />}
        <Group justify="space-between">
          <CurlButton call={["blasts", "retryFailed", request]} />
          <Group gap="xs">
            <Button variant="default" onClick={onClose}>
              {shell.cancel}
            </Button>
            <Button loading={retry.isPending} disabled={count === 0} onClick={() => retry.mutate(request)}>
              {words.retryAction(count)}
            </Button>
          </Group>
        </Group>
      </Stack>
    </Modal>
  )
}
