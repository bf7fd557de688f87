// The passkeys of the person: each can be removed, and this browser can add one.
import { Box, Button, Group, Skeleton, Stack, Text, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import type { Accounts } from "@tentpole/client"
import { useMutation, useQuery } from "@tanstack/react-query"
import { accounts } from "../api/client.ts"
import { useAccountsMutationOf } from "../api/mutations.ts"
import { accountsQueryOf } from "../api/queries.ts"
import { passkeyOptions } from "../api/session.ts"
import { Problem } from "../parts/Problem.tsx"
import { Time } from "../parts/Time.tsx"
import { useWords } from "../words/Words.tsx"
import { createPasskey, passkeyName } from "./signIn/passkey.ts"
import { useMethods } from "./signIn/methods.ts"
import { Refused } from "./signIn/Refused.tsx"

const PasskeyRow = ({ passkey }: { readonly passkey: Accounts.Passkey }) => {
  const words = useWords("account")
  const { created_at, name, passkey_id, used_at } = passkey
  const remove = useAccountsMutationOf("passkeys", "remove", { done: () => words.passkeyRemoved })
  return (
    <li>
      <Group justify="space-between" wrap="nowrap" gap="md">
        <Box miw={0}>
          <Text size="sm" fw={550} truncate>
            {name}
          </Text>
          <Text size="xs" c="dimmed" component="div">
            {words.added} <Time at={created_at} as="date" /> ·{" "}
            {used_at === null ? (
              words.unused
            ) : (
              <>
                {words.used} <Time at={used_at} as="relative" />
              </>
            )}
          </Text>
        </Box>
        <Button
          variant="default"
          size="compact-sm"
          aria-label={`${words.passkeyRemove}: ${name}`}
          loading={remove.isPending}
          onClick={() => remove.mutate({ params: { passkey_id } })}
        >
          {words.passkeyRemove}
        </Button>
      </Group>
      {remove.isError && (
        <Box mt="xs">
          <Problem error={remove.error} />
        </Box>
      )}
    </li>
  )
}

const AddPasskey = () => {
  const words = useWords("account")
  const form = useForm({ initialValues: { name: passkeyName(words) } })
  const save = useAccountsMutationOf("passkeys", "create", { done: () => words.passkeyAdded })
  const add = useMutation({
    mutationFn: async (name: string) => {
      const options = await passkeyOptions({ purpose: "register" }, accounts)
      return save.mutateAsync({ payload: await createPasskey(options, name) })
    },
  })
  return (
    <form onSubmit={form.onSubmit(({ name }) => add.mutate(name))}>
      <Stack>
        <Group align="end" wrap="nowrap">
          <TextInput
            label={words.passkeyName}
            required
            maxLength={100}
            flex={1}
            autoComplete="off"
            {...form.getInputProps("name")}
          />
          <Button type="submit" loading={add.isPending}>
            {words.passkeyAdd}
          </Button>
        </Group>
        {add.isError && <Refused error={add.error} text={words.passkeyRefused} />}
      </Stack>
    </form>
  )
}

export const PasskeyList = () => {
  const words = useWords("account")
  const found = useQuery(accountsQueryOf("passkeys", "list"))
  const isPossible = useMethods()?.passkeys
  if (found.isError) return <Problem error={found.error} onRetry={found.refetch} />
  if (found.data === undefined || isPossible === undefined) return <Skeleton h={60} className="late" />
  const { passkeys } = found.data
  return (
    <Stack>
      {passkeys.length === 0 ? (
        <Text size="sm" c="dimmed">
          {isPossible ? words.noPasskeys : words.passkeysUnavailable}
        </Text>
      ) : (
        <Stack component="ul" gap="md" className="plain-list">
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.passkey_id} passkey={passkey} />
          ))}
        </Stack>
      )}
      {isPossible && <AddPasskey />}
    </Stack>
  )
}
