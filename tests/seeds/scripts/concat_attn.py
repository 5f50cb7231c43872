import torch
import torch.nn as nn
import torch.nn.functional as F

class Attn(nn.Module):
    def __init__(self, query_size, key_size, value_size1, value_size2, output_size):
        """初始化函數(shù)中的參數(shù)有5個, query_size代表query的最后一維大小
           key_size代表key的最后一維大小, value_size1代表value的導數(shù)第二維大小, 
           value = (1, value_size1, value_size2)
           value_size2代表value的倒數(shù)第一維大小, output_size輸出的最后一維大小"""
        super(Attn, self).__init__()
        # 將以下參數(shù)傳入類中
        self.query_size = query_size
        self.key_size = key_size
        self.value_size1 = value_size1
        self.value_size2 = value_size2
        self.output_size = output_size

        # 初始化注意力機制實現(xiàn)第一步中需要的線性層.
        self.attn = nn.Linear(self.query_size + self.key_size, value_size1)

        # 初始化注意力機制實現(xiàn)第三步中需要的線性層.
        self.attn_combine = nn.Linear(self.query_size + value_size2, output_size)


    def forward(self, Q, K, V):
        """forward函數(shù)的輸入?yún)?shù)有三個, 分別是Q, K, V, 根據(jù)模型訓練常識, 輸入給Attion機制的
           張量一般情況都是三維張量, 因此這里也假設Q, K, V都是三維張量"""

        # 第一步, 按照計算規(guī)則進行計算, 
        # 我們采用常見的第一種計算規(guī)則
        # 將Q，K進行縱軸拼接, 做一次線性變化, 最后使用softmax處理獲得結果
        attn_weights = F.softmax(
            self.attn(torch.cat((Q[0], K[0]), 1)), dim=1)

        # 然后進行第一步的后半部分, 將得到的權重矩陣與V做矩陣乘法計算, 
        # 當二者都是三維張量且第一維代表為batch條數(shù)時, 則做bmm運算
        attn_applied = torch.bmm(attn_weights.unsqueeze(0), V)

        # 之后進行第二步, 通過取[0]是用來降維, 根據(jù)第一步采用的計算方法, 
        # 需要將Q與第一步的計算結果再進行拼接
        output = torch.cat((Q[0], attn_applied[0]), 1)

        # 最后是第三步, 使用線性層作用在第三步的結果上做一個線性變換并擴展維度，得到輸出
        # 因為要保證輸出也是三維張量, 因此使用unsqueeze(0)擴展維度
        output = self.attn_combine(output).unsqueeze(0)
        return output, attn_weights


query_size = 32
key_size = 32
value_size1 = 32
value_size2 = 64
output_size = 64
attn = Attn(query_size, key_size, value_size1, value_size2, output_size)
Q = torch.randn(1,1,32)
K = torch.randn(1,1,32)
V = torch.randn(1,32,64)
out = attn(Q, K ,V)
print(out[0])
print(out[1])
