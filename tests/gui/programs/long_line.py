"""A program with a constant in one line of 800,000 letters, for the scenario program_long_line."""
COUNT = 200000
print('HloModule long_line\n\nENTRY main {')
print(f'  table = f32[{COUNT}] constant({{' + ', '.join(str(k % 90 + 10) for k in range(COUNT)) + '})')
print(f'  ROOT sum = f32[{COUNT}] add(table, table)\n}}')
