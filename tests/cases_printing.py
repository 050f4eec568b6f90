"""What tf.print is given: the arguments, and the keywords."""

ARGUMENTS = [
    "(tf.constant(1.5),)",
    "(tf.constant(1),)",
    "(tf.constant(True),)",
    "(tf.constant([1.,2.5,-3.]),)",
    "(tf.constant([[1,2],[3,4]]),)",
    "(tf.constant([[[1.,2.],[3.,4.]],[[5.,6.],[7.,8.]]]),)",
    "(tf.range(10),)",
    "(tf.range(6),)",
    "(tf.range(7),)",
    "(tf.reshape(tf.range(100),[10,10]),)",
    "('a',1,2.5,tf.constant(3.))",
    "([tf.constant(1.),tf.constant(2.)],)",
    "((tf.constant(1.),2),)",
    "({'a':tf.constant(1.),'b':[1,2]},)",
    "(tf.constant(1e10),)",
    "(tf.constant(1e-10),)",
    "(tf.constant(123456.789),)",
    "(tf.constant(0.1),)",
    "(tf.constant(1/3),)",
    "(tf.constant(1e5),)",
    "(tf.constant(1e6),)",
    "(tf.constant(1e7),)",
    "(tf.constant(1.23456789e8),)",
    "(tf.constant(float('nan')),tf.constant(float('inf')),tf.constant(float('-inf')))",
    "(tf.constant(0.1,tf.float64),tf.constant(1/3,tf.float64),tf.constant(1e300,tf.float64))",
    "(tf.constant([True,False]),)",
    "(tf.constant([],tf.float32),)",
    "(tf.constant([[]],tf.float32),)",
    "(tf.Variable([1.,2.]),)",
    "(np.array([1.,2.]),)",
    "(None,)",
    "(tf.constant(1,tf.uint8),tf.constant(-5,tf.int64))",
    "(tf.constant(1.5,tf.float16),tf.constant(1.5,tf.bfloat16))",
    "('x:',tf.constant([1.]),'y')",
    "('',)",
    "()",
    "(tf.constant(3.0),)",
    "(tf.constant(100.0),tf.constant(1000000.0),tf.constant(16777216.0),tf.constant(0.0001),tf.constant(0.00001))",
    "([],)",
    "({},)",
    "([1,[2,tf.constant(3)]],)",
    "('a\\nb',)",
    "(tf.zeros([2,0]),)",
    "(tf.constant(0.30000001192),tf.constant(2.7182817),tf.constant(3.14159274))",
    "(tf.zeros([0,2]),tf.zeros([0,2,3]),tf.zeros([2,3,0]),tf.zeros([2,0,3]))",
    "('shape:',tf.zeros([2,2]).shape,tf.TensorShape([None,2]),tf.TensorShape(None))",
    "('type:',tf.float32,[tf.string],tf.zeros([2]).dtype)",
    "('loss',tf.constant(0.5).numpy(),np.float64(2.0),[np.float32(1.0)])",
    "(['a',b'b',None,True],{'a':'b'})",
    "({'loss':tf.constant(0.5),'acc':0.25},)",
    "((1,),(tf.constant([1,2]),))",
    "([tf.constant([[1,2],[3,4]])]*14,)",
    "(list(range(30)),{'key':['x'*40,'y'*40]})",
    "(tf.constant('a'),)",
    "(tf.Variable('a'),)",
    "(tf.constant('a'),'b',tf.constant('c'))",
    "([tf.constant('a')],{'k':tf.constant(['a','b'])})",
    "(tf.constant(['a\"b',\"it's\",'\\\\','\\t\\n\\x01','\u00e9']),)",
    "(tf.IndexedSlices(tf.constant([[1.,2.]]),tf.constant([1]),tf.constant([3,2])),)",
    "([tf.sparse.from_dense([[1.,0.]])],{'r':tf.ragged.constant([['a'],[]])})",
    "(range(3),{3,1},slice(1,2),b'a')",
    "(tf.constant(1+2j),)",
]
KEYWORDS = [
    "{}",
    "{'summarize': -1}",
    "{'summarize': 1}",
    "{'summarize': 0}",
    "{'sep': '|'}",
    "{'end': '!'}",
]
VARIED = ["(tf.range(10),)", "(tf.reshape(tf.range(100),[10,10]),)", "('a',1,2.5,tf.constant(3.))"]


def calls():
    for arguments in ARGUMENTS:
        for keywords in KEYWORDS if arguments in VARIED else KEYWORDS[:1]:
            yield arguments, keywords


def printed(tf, np, path, arguments, keywords):
    """What one call writes to a file."""
    scope = {"tf": tf, "np": np}
    tf.print(*eval(arguments, scope), output_stream=f"file://{path}", **eval(keywords))
    return path.read_text()
